-- Ids follow time, so the oldest rows are the first of the key; one small batch, nothing else is locked.
DELETE FROM notification
WHERE notification_id IN (
    SELECT oldest.notification_id
    FROM (SELECT notification_id, created_at FROM notification ORDER BY notification_id LIMIT %(limit)s) AS oldest
    WHERE oldest.created_at < %(before)s
);
