SELECT restaurant.restaurant_id,
       restaurant.slug,
       restaurant.name,
       restaurant.timezone,
       restaurant.policy,
       restaurant.service_periods,
       restaurant.floor_version AS version,
       coalesce((
           SELECT jsonb_agg(jsonb_build_object('zone_id', zone_id, 'name', zone.name) ORDER BY zone.position, zone_id)
           FROM zones AS zone
           WHERE zone.restaurant_id = restaurant.restaurant_id AND zone.removed_at IS NULL), '[]') AS zones,
       coalesce((
           SELECT jsonb_agg(jsonb_build_object(
                      'table_id', place.table_id, 'zone_id', place.zone_id, 'number', place.number,
                      'capacity', place.capacity, 'min_party', place.min_party, 'max_party', place.max_party,
                      'movable', place.mobility = 'movable', 'active', place.active, 'x', place.x, 'y', place.y)
                  ORDER BY place.position, place.table_id)
           FROM table_inventory AS place
           WHERE place.restaurant_id = restaurant.restaurant_id AND place.removed_at IS NULL), '[]') AS tables,
       coalesce((
           SELECT jsonb_agg(jsonb_build_array(pair.table_a, pair.table_b) ORDER BY pair.table_a, pair.table_b)
           FROM table_adjacencies AS pair
           JOIN table_inventory AS one ON one.table_id = pair.table_a AND one.removed_at IS NULL
           JOIN table_inventory AS other ON other.table_id = pair.table_b AND other.removed_at IS NULL
           WHERE one.restaurant_id = restaurant.restaurant_id), '[]') AS adjacencies
FROM restaurants AS restaurant
WHERE restaurant.slug = %(slug)s;
