SELECT event_id, occurred_at, source, event_type, severity, restaurant_id, booking_id, context
FROM observability_events
WHERE (%(event_type)s::text IS NULL OR event_type = %(event_type)s)
  AND (%(before)s::bigint IS NULL OR event_id < %(before)s)
ORDER BY event_id DESC
LIMIT %(limit)s;
