-- Restaurants whose name goes on after the key: "franklin" shows "Franklin Barbecue".
SELECT entity_id
FROM entity
WHERE status = 'known'
  AND type = 'restaurant'
  AND (%(location_key)s::text IS NULL OR location_key = %(location_key)s)
  AND name_key LIKE %(pattern)s
ORDER BY mention_count DESC, entity_id
LIMIT 25;
