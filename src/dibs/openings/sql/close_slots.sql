UPDATE slot
SET open = false,
    closed_at = closing.at,
    last_closed_at = closing.at,
    misses = closing.misses,
    quiet = closing.quiet,
    distrust_until = NULL
FROM jsonb_to_recordset(%(slots)s) AS closing (
    slot_id text, at timestamptz, misses integer, quiet boolean
)
WHERE slot.slot_id = closing.slot_id;
