SELECT slot_id, slot_key, watch_key, provider, group_key, starts_at, open, opened_at, closed_at, last_seen_at,
       misses, payload
FROM slot
WHERE (%(after)s::text IS NULL OR slot_id > %(after)s)
  AND (%(watch)s::text IS NULL OR watch_key = %(watch)s)
  AND (%(provider)s::text IS NULL OR provider = %(provider)s)
  AND (%(group)s::text IS NULL OR group_key = %(group)s)
  AND (%(open)s::boolean IS NULL OR open = %(open)s)
ORDER BY slot_id
LIMIT %(limit)s;
