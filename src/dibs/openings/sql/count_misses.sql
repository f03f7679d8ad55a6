UPDATE slot
SET misses = counted.misses,
    last_seen_at = CASE WHEN counted.misses = 0 THEN %(at)s::timestamptz ELSE slot.last_seen_at END
FROM unnest(%(slot_ids)s::text[], %(misses)s::integer[]) AS counted (slot_id, misses)
WHERE slot.slot_id = counted.slot_id;
