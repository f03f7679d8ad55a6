SELECT min(greatest(due_at, lease_until)) FROM cadence WHERE due_at IS NOT NULL;
