-- Spellings close to the key; whether they are close enough is the rule's to say.
SELECT %(key)s AS key, entity_id, type, name, location_key, mention_count
FROM entity
WHERE status = 'known'
  AND type = %(type)s
  AND (%(location_key)s::text IS NULL OR type <> 'restaurant' OR location_key = %(location_key)s)
  AND name_key %% %(key)s
  AND similarity(name_key, %(key)s) >= 0.5
ORDER BY similarity(name_key, %(key)s) DESC, mention_count DESC, entity_id
LIMIT 10;
