SELECT load_key, provider, term_id, campus_code, source_hash, items
FROM catalog_load
WHERE load_key = %(load_key)s;
