-- The first so many at once, the next so many later, in the order in which they subscribed.
WITH turn AS (
    SELECT notification_id,
           (row_number() OVER (PARTITION BY open_event_id ORDER BY subscription_id) - 1) / %(wave_size)s AS wave
    FROM notification
    WHERE open_event_id = ANY (%(open_event_ids)s::bigint[]) AND fanout_status = 'pending' AND fanout_attempts = 0
)
UPDATE notification
SET due_at = due_at + turn.wave * make_interval(secs => %(wave_s)s)
FROM turn
WHERE notification.notification_id = turn.notification_id AND turn.wave > 0;
