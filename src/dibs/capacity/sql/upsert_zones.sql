WITH wanted AS (
    SELECT * FROM unnest(%(zone_ids)s::uuid[], %(names)s::text[]) WITH ORDINALITY AS wanted (zone_id, name, position)
),
kept AS (
    INSERT INTO zones (zone_id, restaurant_id, name, position)
    SELECT zone_id, %(restaurant_id)s, name, position FROM wanted
    ON CONFLICT (restaurant_id, name) DO UPDATE SET position = excluded.position, removed_at = NULL
    RETURNING zone_id, name
)
SELECT zone_id, name FROM kept;
