-- For each slot of a watch that goes: another one that still sees it.
SELECT other.slot_id, min(other.watch_key) AS watch_key
FROM watch_slot AS own
JOIN watch_slot AS other ON other.slot_id = own.slot_id AND other.watch_key <> own.watch_key
WHERE own.watch_key = %(watch_key)s AND NOT other.quiet AND NOT other.elsewhere
GROUP BY other.slot_id;
