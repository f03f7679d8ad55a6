INSERT INTO slot AS known (slot_id, provider, slot_key, watch_key, group_key, starts_at, open, opened_at, closed_at,
                  last_seen_at, misses, generation, payload)
SELECT slot_id, provider, slot_key, watch_key, group_key, starts_at, open, opened_at, closed_at,
       last_seen_at, misses, generation, payload
FROM jsonb_to_recordset(%(slots)s) AS seen (
    slot_id text, provider text, slot_key text, watch_key text, group_key text, starts_at timestamptz,
    open boolean, opened_at timestamptz, closed_at timestamptz, last_seen_at timestamptz,
    misses integer, generation integer, payload jsonb
)
-- Sorted, so that two writers of the same slots wait for each other instead of deadlocking.
ORDER BY slot_id
ON CONFLICT (slot_id) DO UPDATE
SET watch_key = excluded.watch_key,
    group_key = excluded.group_key,
    starts_at = excluded.starts_at,
    open = excluded.open,
    opened_at = excluded.opened_at,
    closed_at = excluded.closed_at,
    last_seen_at = excluded.last_seen_at,
    misses = excluded.misses,
    generation = excluded.generation,
    payload = excluded.payload,
    last_closed_at = CASE WHEN excluded.open THEN known.last_closed_at ELSE excluded.closed_at END,
    quiet = false,
    distrust_until = NULL,
    -- A new opening that nobody was told of does not stand for the event of an earlier one.
    last_event_id = CASE WHEN excluded.generation = known.generation THEN known.last_event_id END;
