-- What waits gets the places of the cap, and what finds none is given up. What is being sent cannot be called back, so
-- it comes first.
WITH clock AS (
    SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS at
),
waiting AS (
    SELECT notification_id,
           reserved,
           lease_token IS NOT NULL AS under_way,
           row_number() OVER (ORDER BY lease_token IS NULL, notification_id) AS place
    FROM notification
    WHERE notification_id = ANY (%(notification_ids)s::bigint[])
),
allowance AS (
    SELECT max_notifications - notices_reserved + (SELECT count(*) FROM waiting WHERE reserved) AS room
    FROM subscription
    WHERE subscription_id = %(subscription_id)s AND max_notifications IS NOT NULL
),
shared AS (
    SELECT waiting.notification_id,
           waiting.reserved AS was,
           waiting.under_way OR waiting.place <= allowance.room AS has_place
    FROM waiting, allowance
),
given AS (
    UPDATE notification
    SET reserved = shared.has_place,
        fanout_status = CASE WHEN shared.has_place THEN 'pending' ELSE 'skipped' END,
        reason = CASE WHEN shared.has_place THEN notification.reason ELSE 'capped' END,
        due_at = CASE WHEN shared.has_place THEN notification.due_at END,
        finished_at = CASE WHEN shared.has_place THEN NULL ELSE clock.at END
    FROM shared, clock
    WHERE notification.notification_id = shared.notification_id
),
counted AS (
    UPDATE subscription
    SET notices_reserved = notices_reserved
        + (SELECT count(*) FILTER (WHERE has_place) - count(*) FILTER (WHERE was) FROM shared)
    WHERE subscription_id = %(subscription_id)s
)
SELECT count(*) FROM shared WHERE NOT has_place;
