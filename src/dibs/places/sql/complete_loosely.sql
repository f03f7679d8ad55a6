-- Nothing begins like this: names that contain something like it.
SELECT entity.entity_id, entity.type, entity.name, entity.location_key, entity.status, entity.google_place_id,
       entity.lat, entity.lng, entity.mention_count, entity.mention_score, entity.last_mentioned_at,
       coalesce((SELECT array_agg(alias ORDER BY alias) FROM entity_alias
                 WHERE entity_alias.entity_id = entity.entity_id), '{}') AS aliases
FROM entity
WHERE entity.status = 'known'
  AND %(key)s <%% entity.name_key
  AND (entity.type <> 'restaurant' OR %(location_key)s::text IS NULL OR entity.location_key = %(location_key)s)
ORDER BY word_similarity(%(key)s, entity.name_key) DESC, entity.mention_count DESC, entity.entity_id
LIMIT %(limit)s;
