-- Notices that were made while their subscription had no cap take their places now, the oldest first.
WITH wanting AS (
    SELECT notification_id,
           subscription_id,
           row_number() OVER (PARTITION BY subscription_id ORDER BY notification_id) AS place
    FROM notification
    WHERE notification_id = ANY (%(notification_ids)s::bigint[])
),
allowance AS (
    SELECT subscription_id, max_notifications - notices_reserved AS room
    FROM subscription
    WHERE subscription_id IN (SELECT subscription_id FROM wanting)
    ORDER BY subscription_id
    FOR NO KEY UPDATE
),
granted AS (
    UPDATE notification
    SET reserved = true
    FROM wanting
    JOIN allowance USING (subscription_id)
    WHERE notification.notification_id = wanting.notification_id
      AND (allowance.room IS NULL OR wanting.place <= allowance.room)
    RETURNING notification.notification_id, notification.subscription_id
),
taken AS (
    UPDATE subscription
    SET notices_reserved = notices_reserved + places.count
    FROM (SELECT subscription_id, count(*) AS count FROM granted GROUP BY subscription_id) AS places
    WHERE subscription.subscription_id = places.subscription_id
)
SELECT notification_id FROM granted;
