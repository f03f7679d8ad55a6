INSERT INTO entity_alias (entity_id, alias, alias_key)
SELECT %(into_id)s, name, name_key
FROM (
    SELECT name, name_key FROM entity WHERE entity_id = %(from_id)s
    UNION
    SELECT alias, alias_key FROM entity_alias WHERE entity_id = %(from_id)s
) AS names
WHERE name_key <> (SELECT name_key FROM entity WHERE entity_id = %(into_id)s)
ON CONFLICT DO NOTHING;
