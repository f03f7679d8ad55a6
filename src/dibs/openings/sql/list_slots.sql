-- A heartbeat that shows nothing new writes no slot: whoever vouches for an open slot saw it at its last good look.
SELECT slot.slot_id, slot.slot_key, slot.watch_key, slot.provider, slot.group_key, slot.starts_at, slot.open,
       slot.opened_at, slot.closed_at,
       CASE WHEN slot.open AND slot.misses = 0 THEN greatest(slot.last_seen_at, watch.last_good_at)
            ELSE slot.last_seen_at END AS last_seen_at,
       slot.misses, slot.payload
FROM slot
LEFT JOIN watch ON watch.watch_key = slot.watch_key
WHERE (%(after)s::text IS NULL OR slot.slot_id > %(after)s)
  -- A slot stands under one watch and may be seen by several; as an array, so that the index finds them.
  AND (%(watch)s::text IS NULL OR slot.slot_id = ANY (ARRAY(
       SELECT own.slot_id FROM slot AS own WHERE own.watch_key = %(watch)s
       UNION
       SELECT seen.slot_id FROM watch_slot AS seen
       WHERE seen.watch_key = %(watch)s AND NOT seen.quiet AND NOT seen.elsewhere)))
  AND (%(provider)s::text IS NULL OR slot.provider = %(provider)s)
  AND (%(group)s::text IS NULL OR slot.group_key = %(group)s)
  AND (%(open)s::boolean IS NULL OR slot.open = %(open)s)
ORDER BY slot.slot_id
LIMIT %(limit)s;
