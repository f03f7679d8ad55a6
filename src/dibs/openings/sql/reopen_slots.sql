-- Slots that were out of sight, not gone: everything about them is as it was.
UPDATE slot
SET open = true,
    closed_at = NULL,
    last_seen_at = %(at)s,
    misses = 0,
    quiet = false,
    distrust_until = NULL
WHERE slot_id = ANY (%(slot_ids)s);
