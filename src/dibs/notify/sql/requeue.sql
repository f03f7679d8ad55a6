WITH clock AS (
    SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS at
)
UPDATE notification
SET fanout_status = 'pending',
    fanout_attempts = 0,
    reason = 'requeued',
    error = NULL,
    reserved = CASE WHEN fanout_status = 'pending' THEN reserved ELSE %(reserved)s END,
    due_at = clock.at,
    finished_at = NULL,
    expires_at = clock.at + make_interval(secs => %(expire_after_s)s)
FROM clock
WHERE notification_id = %(notification_id)s
RETURNING pg_notify('dibs_notice', '');
