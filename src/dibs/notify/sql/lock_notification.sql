SELECT notification_id, kind, open_event_id, subscription_id, fanout_status, fanout_attempts, created_at,
       coalesce(lease_until - make_interval(secs => %(lock_ttl_s)s), last_attempt_at) AS last_attempt_at,
       due_at AS next_attempt_at, finished_at, expires_at,
       leased_by AS locked_by,
       lease_until - make_interval(secs => %(lock_ttl_s)s) AS locked_at,
       lease_token IS NOT NULL AS maybe_sent,
       error, reason
FROM notification
WHERE notification_id = %(notification_id)s
FOR UPDATE;
