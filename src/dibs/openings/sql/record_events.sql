WITH recorded AS (
    INSERT INTO open_event (provider, watch_key, slot_id, slot_key, group_key, subject, item_id, status_before,
                            status_after, seat_delta, event_at, detected_by, snapshot_id, dedupe_key, trace_id,
                            payload, topics, generation, reason, private)
    SELECT provider, watch_key, slot_id, slot_key, group_key, subject, item_id, status_before,
           status_after, seat_delta, event_at, detected_by, snapshot_id,
           -- The specified key of a section does not name its provider; where another slot has taken it, it must.
           CASE WHEN %(again)s::boolean
                 AND EXISTS (SELECT FROM open_event AS taken
                             WHERE taken.dedupe_key = seen.dedupe_key AND taken.slot_id <> seen.slot_id)
                THEN dedupe_key || '|' || slot_id ELSE dedupe_key END,
           trace_id, payload, topics, generation, reason, coalesce(private, false)
    FROM jsonb_to_recordset(%(events)s) AS seen (
        provider text, watch_key text, slot_id text, slot_key text, group_key text, subject jsonb, item_id bigint,
        status_before text, status_after text, seat_delta integer, event_at timestamptz, detected_by text,
        snapshot_id bigint, dedupe_key text, trace_id text, payload jsonb, topics text[], generation integer,
        reason text, private boolean
    )
    ORDER BY event_at, dedupe_key
    ON CONFLICT (dedupe_key) DO NOTHING
    RETURNING open_event_id, slot_id, dedupe_key, status_after, event_at
),
announced AS (
    UPDATE slot
    SET last_event_id = recorded.open_event_id,
        last_event_at = recorded.event_at
    FROM recorded
    WHERE slot.slot_id = recorded.slot_id AND recorded.status_after = 'Open'
)
SELECT open_event_id, slot_id, dedupe_key, status_after
FROM recorded, LATERAL (SELECT pg_notify('dibs_opening', '')) AS rung
ORDER BY open_event_id;
