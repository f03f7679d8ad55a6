-- What these restaurants are known for; only the foods that were asked for, when there were any.
WITH eaten AS (
    SELECT connection.subject_id,
           sum(connection.mention_count) AS mentions,
           max(connection.last_mentioned_at) AS last_mentioned_at,
           array_agg(connection.restaurant_id ORDER BY connection.mention_count DESC, connection.restaurant_id)
               AS restaurant_ids
    FROM connection
    JOIN entity AS food ON food.entity_id = connection.subject_id AND food.type = 'food' AND food.status = 'known'
    WHERE connection.restaurant_id = ANY (%(restaurant_ids)s::bigint[])
      AND connection.mention_count > 0
      AND (cardinality(%(food_ids)s::bigint[]) = 0 OR connection.subject_id = ANY (%(food_ids)s::bigint[]))
    GROUP BY connection.subject_id
    ORDER BY mentions DESC, connection.subject_id
    LIMIT %(limit)s
)
SELECT entity.entity_id, entity.type, entity.name, entity.location_key, entity.status, entity.google_place_id,
       entity.lat, entity.lng, entity.mention_count, entity.mention_score, entity.last_mentioned_at,
       coalesce((SELECT array_agg(alias ORDER BY alias) FROM entity_alias
                 WHERE entity_alias.entity_id = entity.entity_id), '{}') AS aliases,
       eaten.mentions::bigint AS matched_mentions, eaten.restaurant_ids
FROM eaten
JOIN entity ON entity.entity_id = eaten.subject_id
ORDER BY eaten.mentions DESC, entity.entity_id;
