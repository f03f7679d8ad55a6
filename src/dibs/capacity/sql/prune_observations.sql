DELETE FROM observability_events WHERE event_id IN (
    SELECT event_id FROM observability_events
    WHERE occurred_at < %(before)s
    ORDER BY occurred_at LIMIT %(limit)s);
