-- Restaurants by their own names, inside the viewport where there is one.
WITH here AS (
    SELECT ll_to_earth(%(origin_lat)s, %(origin_lng)s) AS origin
),
matched AS (
    SELECT entity.entity_id, entity.mention_count AS mentions, entity.last_mentioned_at,
           earth_distance(entity.position, here.origin) AS distance_m
    FROM entity
    CROSS JOIN here
    WHERE entity.entity_id = ANY (%(restaurant_ids)s::bigint[])
      AND entity.status = 'known'
      AND (%(north)s::float8 IS NULL
           OR entity.lat IS NULL
           OR (entity.lat BETWEEN %(south)s AND %(north)s
               AND CASE WHEN %(west)s::float8 > %(east)s::float8 THEN lng >= %(west)s OR lng <= %(east)s
                        ELSE lng BETWEEN %(west)s AND %(east)s END))
),
ranked AS (
    SELECT entity_id, mentions, last_mentioned_at, distance_m, count(*) OVER () AS total,
           search_score(mentions, last_mentioned_at, %(now)s, distance_m, %(reach_m)s) AS score
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
