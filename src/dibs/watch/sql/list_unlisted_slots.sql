-- What a watch sees and the hub does not show, because the catalog did not know it yet.
SELECT seen.slot_key
FROM watch_slot AS seen
WHERE seen.watch_key = %(watch_key)s
  AND NOT seen.quiet
  AND NOT EXISTS (SELECT FROM slot WHERE slot.slot_id = seen.slot_id AND slot.open);
