SELECT notification_id, kind, open_event_id, subscription_id, fanout_status, fanout_attempts, created_at,
       coalesce(lease_until - make_interval(secs => %(lock_ttl_s)s), last_attempt_at) AS last_attempt_at,
       due_at AS next_attempt_at, finished_at, expires_at,
       leased_by AS locked_by,
       lease_until - make_interval(secs => %(lock_ttl_s)s) AS locked_at,
       lease_token IS NOT NULL AS maybe_sent,
       error, reason
FROM notification
WHERE (%(status)s::text IS NULL OR fanout_status = %(status)s)
  AND (%(subscription_id)s::bigint IS NULL OR subscription_id = %(subscription_id)s)
  AND (%(open_event_id)s::bigint IS NULL OR open_event_id = %(open_event_id)s)
  AND (%(before)s::bigint IS NULL OR notification_id < %(before)s)
ORDER BY notification_id DESC
LIMIT %(limit)s;
