-- Names that begin as typed: those of the place and of the whole world first by how often they are mentioned.
WITH of_the_place AS (
    SELECT entity_id FROM entity
    WHERE status = 'known' AND location_key = %(location_key)s AND name_key LIKE %(pattern)s
    ORDER BY mention_count DESC, entity_id
    LIMIT 50
),
of_the_world AS (
    -- Without a place a restaurant may be anywhere; a short beginning reads no more than this many names.
    SELECT entity_id FROM entity
    WHERE status = 'known' AND name_key LIKE %(pattern)s
      AND (type <> 'restaurant' OR %(location_key)s::text IS NULL)
    ORDER BY name_key USING ~<~
    LIMIT 500
),
by_alias AS (
    SELECT entity_id FROM entity_alias WHERE alias_key LIKE %(pattern)s ORDER BY alias_key USING ~<~ LIMIT 200
),
found AS (
    SELECT entity_id FROM of_the_place UNION SELECT entity_id FROM of_the_world UNION SELECT entity_id FROM by_alias
)
SELECT entity.entity_id, entity.type, entity.name, entity.location_key, entity.status, entity.google_place_id,
       entity.lat, entity.lng, entity.mention_count, entity.mention_score, entity.last_mentioned_at,
       coalesce((SELECT array_agg(alias ORDER BY alias) FROM entity_alias
                 WHERE entity_alias.entity_id = entity.entity_id), '{}') AS aliases
FROM found
JOIN entity USING (entity_id)
WHERE entity.status = 'known'
  AND (entity.type <> 'restaurant' OR %(location_key)s::text IS NULL OR entity.location_key = %(location_key)s)
ORDER BY (entity.name_key = %(key)s) DESC, entity.mention_count DESC, entity.name_key, entity.entity_id
LIMIT %(limit)s;
