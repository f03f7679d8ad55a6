INSERT INTO watch_slot (watch_key, slot_key, slot_id, group_key, misses, unknown_since, quiet, elsewhere)
SELECT %(watch_key)s, slot_key, slot_id, group_key, misses, unknown_since, quiet, elsewhere
FROM jsonb_to_recordset(%(slots)s) AS seen (
    slot_key text, slot_id text, group_key text, misses integer, unknown_since timestamptz, quiet boolean,
    elsewhere boolean
)
ON CONFLICT (watch_key, slot_key) DO UPDATE
SET group_key = excluded.group_key,
    misses = excluded.misses,
    unknown_since = excluded.unknown_since,
    quiet = excluded.quiet,
    elsewhere = excluded.elsewhere;
