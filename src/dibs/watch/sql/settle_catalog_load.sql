UPDATE catalog_load
SET source_hash = coalesce(%(source_hash)s::text, source_hash),
    loaded_at = CASE WHEN %(source_hash)s::text IS NULL THEN loaded_at ELSE %(at)s::timestamptz END,
    items = coalesce(%(items)s::integer, items),
    reason = %(reason)s
WHERE load_key = %(load_key)s;
