UPDATE slot
SET open = false,
    closed_at = closing.at,
    last_closed_at = closing.at,
    misses = closing.misses,
    quiet = closing.quiet,
    distrust_until = closing.distrust_until
FROM jsonb_to_recordset(%(slots)s) AS closing (
    slot_id text, at timestamptz, misses integer, quiet boolean, distrust_until timestamptz
)
WHERE slot.slot_id = closing.slot_id;
