SELECT entity.entity_id, entity.type, entity.name, entity.location_key, entity.status, entity.google_place_id,
       entity.lat, entity.lng, entity.mention_count, entity.mention_score, entity.last_mentioned_at,
       coalesce((SELECT array_agg(alias ORDER BY alias) FROM entity_alias
                 WHERE entity_alias.entity_id = entity.entity_id), '{}') AS aliases
FROM entity
WHERE entity.status = %(status)s
  AND (%(type)s::text IS NULL OR entity.type = %(type)s)
  AND (%(location_key)s::text IS NULL OR entity.location_key = %(location_key)s)
  AND (%(pattern)s::text IS NULL
       OR entity.name_key LIKE %(pattern)s
       OR EXISTS (SELECT FROM entity_alias
                  WHERE entity_alias.entity_id = entity.entity_id AND entity_alias.alias_key LIKE %(pattern)s))
  AND entity.entity_id > %(after)s
ORDER BY entity.entity_id
LIMIT %(limit)s;
