SELECT restaurant.restaurant_id,
       restaurant.slug,
       restaurant.name,
       restaurant.timezone,
       (SELECT count(*) FROM table_inventory AS place
        WHERE place.restaurant_id = restaurant.restaurant_id AND place.removed_at IS NULL) AS tables
FROM restaurants AS restaurant
WHERE (%(after)s::text IS NULL OR restaurant.slug > %(after)s)
ORDER BY restaurant.slug
LIMIT %(limit)s;
