SELECT cadence_id, interval_s, due_at FROM cadence WHERE cadence_id = %(cadence_id)s;
