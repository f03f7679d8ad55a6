SELECT slot_key, group_key, misses, unknown_since, quiet, elsewhere
FROM watch_slot
WHERE watch_key = %(watch_key)s;
