-- Restaurants inside the viewport that are connected with what was asked; the ones nobody located yet count to
-- their community.
WITH inside AS (
    -- One box, or two when the viewport crosses the antimeridian; the index alone answers.
    SELECT entity.entity_id
    FROM unnest(%(boxes)s::text[]) AS view (box)
    JOIN entity ON entity.status = 'known' AND entity.spot <@ view.box::box
    UNION ALL
    SELECT entity_id
    FROM entity
    WHERE status = 'known' AND type = 'restaurant' AND lat IS NULL AND location_key = %(location_key)s
),
matched AS (
    SELECT inside.entity_id,
           sum(connection.mention_count) AS mentions,
           max(connection.last_mentioned_at) AS last_mentioned_at
    FROM inside
    JOIN connection ON connection.restaurant_id = inside.entity_id
                   AND connection.subject_id = ANY (%(subject_ids)s::bigint[])
                   AND connection.mention_count > 0
    GROUP BY inside.entity_id
    HAVING (cardinality(%(food_ids)s::bigint[]) = 0
            OR bool_or(connection.subject_id = ANY (%(food_ids)s::bigint[])))
       AND count(*) FILTER (WHERE connection.subject_id = ANY (%(attribute_ids)s::bigint[]))
           = cardinality(%(attribute_ids)s::bigint[])
),
placed AS (
    SELECT matched.*, earth_distance(entity.position, ll_to_earth(%(origin_lat)s, %(origin_lng)s)) AS distance_m
    FROM matched
    JOIN entity USING (entity_id)
),
ranked AS (
    SELECT entity_id, mentions, last_mentioned_at, distance_m, count(*) OVER () AS total,
           search_score(mentions::bigint, last_mentioned_at, %(now)s, distance_m, %(reach_m)s) AS score
    FROM placed
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
