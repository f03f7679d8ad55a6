INSERT INTO entity_alias (entity_id, alias, alias_key)
SELECT * FROM unnest(%(entity_ids)s::bigint[], %(aliases)s::text[], %(alias_keys)s::text[])
ON CONFLICT DO NOTHING;
