-- Finds or makes each entity, in the order given; a name that is asked for as known stops being a candidate.
WITH wanted AS (
    SELECT * FROM unnest(%(types)s::text[], %(names)s::text[], %(name_keys)s::text[], %(location_keys)s::text[],
                         %(statuses)s::text[])
    WITH ORDINALITY AS wanted (type, name, name_key, location_key, status, rank)
),
once AS (
    SELECT DISTINCT ON (type, name_key, location_key) *
    FROM wanted
    ORDER BY type, name_key, location_key, (status = 'known') DESC, rank
),
restaurants AS (
    INSERT INTO entity AS known (type, name, name_key, location_key, status, created_at, updated_at)
    SELECT type, name, name_key, location_key, status, %(now)s, %(now)s FROM once WHERE type = 'restaurant'
    ON CONFLICT (name_key, location_key) WHERE type = 'restaurant' DO UPDATE
    SET status = CASE WHEN excluded.status = 'known' THEN 'known' ELSE known.status END
    RETURNING entity_id, type, name_key, location_key, status, xmax = 0 AS is_new
),
others AS (
    INSERT INTO entity AS known (type, name, name_key, status, created_at, updated_at)
    SELECT type, name, name_key, status, %(now)s, %(now)s FROM once WHERE type <> 'restaurant'
    ON CONFLICT (type, name_key) WHERE type <> 'restaurant' DO UPDATE
    SET status = CASE WHEN excluded.status = 'known' THEN 'known' ELSE known.status END
    RETURNING entity_id, type, name_key, location_key, status, xmax = 0 AS is_new
),
ensured AS (
    SELECT * FROM restaurants UNION ALL SELECT * FROM others
)
SELECT ensured.entity_id, ensured.status, ensured.is_new
FROM wanted
JOIN ensured ON ensured.type = wanted.type
            AND ensured.name_key = wanted.name_key
            AND ensured.location_key IS NOT DISTINCT FROM wanted.location_key
ORDER BY wanted.rank;
