DELETE FROM table_adjacencies AS pair
USING table_inventory AS place
WHERE place.restaurant_id = %(restaurant_id)s AND place.table_id IN (pair.table_a, pair.table_b);
