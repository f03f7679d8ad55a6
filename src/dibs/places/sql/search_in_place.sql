-- Without a viewport: the community's restaurants, or everybody's where there is none.
WITH here AS (
    SELECT ll_to_earth(%(origin_lat)s, %(origin_lng)s) AS origin
),
matched AS (
    SELECT restaurant.entity_id,
           sum(connection.mention_count) AS mentions,
           max(connection.last_mentioned_at) AS last_mentioned_at,
           min(earth_distance(restaurant.position, here.origin)) AS distance_m
    FROM connection
    JOIN entity AS restaurant ON restaurant.entity_id = connection.restaurant_id
    CROSS JOIN here
    WHERE connection.subject_id = ANY (%(subject_ids)s::bigint[])
      AND connection.mention_count > 0
      AND restaurant.status = 'known'
      AND (%(location_key)s::text IS NULL OR restaurant.location_key = %(location_key)s)
    GROUP BY restaurant.entity_id
    HAVING (cardinality(%(food_ids)s::bigint[]) = 0
            OR bool_or(connection.subject_id = ANY (%(food_ids)s::bigint[])))
       AND count(*) FILTER (WHERE connection.subject_id = ANY (%(attribute_ids)s::bigint[]))
           = cardinality(%(attribute_ids)s::bigint[])
),
ranked AS (
    SELECT entity_id, mentions, last_mentioned_at, distance_m, count(*) OVER () AS total,
           search_score(mentions::bigint, last_mentioned_at, %(now)s, distance_m, %(reach_m)s) AS score
    FROM matched
    ORDER BY score DESC, entity_id
    LIMIT %(limit)s
)
SELECT entity.entity_id, entity.type, entity.name, entity.location_key, entity.status, entity.google_place_id,
       entity.lat, entity.lng, entity.mention_count, entity.mention_score, entity.last_mentioned_at,
       coalesce((SELECT array_agg(alias ORDER BY alias) FROM entity_alias
                 WHERE entity_alias.entity_id = entity.entity_id), '{}') AS aliases,
       ranked.mentions::bigint AS matched_mentions, ranked.distance_m, ranked.score, ranked.total
FROM ranked
JOIN entity USING (entity_id)
ORDER BY ranked.score DESC, entity_id;
