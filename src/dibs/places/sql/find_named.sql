-- Entities whose name or alias is exactly one of the keys. A restaurant must be of the place, where there is one.
WITH hits AS (
    SELECT entity_id, name_key AS key, 0 AS by_alias FROM entity WHERE name_key = ANY (%(keys)s::text[])
    UNION ALL
    SELECT entity_id, alias_key AS key, 1 AS by_alias FROM entity_alias WHERE alias_key = ANY (%(keys)s::text[])
)
SELECT hits.key, entity.entity_id, entity.type, entity.name, entity.location_key, entity.mention_count
FROM hits
JOIN entity USING (entity_id)
WHERE entity.status = 'known'
  AND (entity.type <> 'restaurant' OR %(location_key)s::text IS NULL OR entity.location_key = %(location_key)s)
ORDER BY hits.by_alias, entity.mention_count DESC, entity.entity_id
LIMIT 500;
