DELETE FROM open_event
WHERE open_event_id IN (
    SELECT open_event_id
    FROM open_event
    WHERE event_at < %(before)s
    ORDER BY event_at
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
);
