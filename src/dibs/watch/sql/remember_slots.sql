-- What the hub knows of these slots. Another watch vouches for a slot that its last look showed, while that is fresh.
SELECT slot.slot_id, slot.slot_key, slot.group_key, slot.starts_at, slot.open, slot.generation, slot.opened_at,
       slot.last_event_at, slot.last_closed_at, slot.quiet, slot.distrust_until, slot.payload,
       EXISTS (
           SELECT FROM watch_slot AS other
           JOIN watch ON watch.watch_key = other.watch_key
           WHERE other.slot_id = slot.slot_id
             AND other.watch_key <> %(watch_key)s
             AND other.misses = 0
             AND other.unknown_since IS NULL
             AND NOT other.quiet
             AND NOT watch.paused
             AND watch.last_good_at > %(fresh_after)s
       ) AS seen_elsewhere
FROM slot
WHERE slot.slot_id = ANY (%(slot_ids)s);
