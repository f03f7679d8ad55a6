INSERT INTO table_inventory
    (table_id, restaurant_id, zone_id, number, capacity, min_party, max_party, mobility, active, x, y, position)
SELECT wanted.table_id, %(restaurant_id)s, wanted.zone_id, wanted.number, wanted.capacity, wanted.min_party,
       wanted.max_party, wanted.mobility, wanted.active, wanted.x, wanted.y, wanted.position
FROM jsonb_to_recordset(%(tables)s) AS wanted (
    table_id uuid, zone_id uuid, number text, capacity integer, min_party integer, max_party integer,
    mobility text, active boolean, x double precision, y double precision, position integer)
ON CONFLICT (restaurant_id, number) DO UPDATE
SET zone_id = excluded.zone_id,
    capacity = excluded.capacity,
    min_party = excluded.min_party,
    max_party = excluded.max_party,
    mobility = excluded.mobility,
    active = excluded.active,
    x = excluded.x,
    y = excluded.y,
    position = excluded.position,
    removed_at = NULL
RETURNING table_id, number;
