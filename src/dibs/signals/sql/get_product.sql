SELECT product_no, collection_id, activity_type, activity_id, product_id, product_key, name, timezone, capacity,
       range_start, range_end, floor_restaurant, floor_measure, pattern, cadence_id, created_at, updated_at
FROM product
WHERE product_key = %(product_key)s;
