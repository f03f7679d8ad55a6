INSERT INTO observability_events (occurred_at, source, event_type, severity, restaurant_id, booking_id, context)
SELECT occurred_at, source, event_type, severity, restaurant_id, booking_id, context
FROM jsonb_to_recordset(%(observations)s) AS seen (
    occurred_at timestamptz, source text, event_type text, severity text, restaurant_id uuid, booking_id uuid,
    context jsonb);
