SELECT product_no, collection_id, activity_type, activity_id, product_id, product_key, name, timezone, capacity,
       range_start, range_end, floor_restaurant, floor_measure, pattern, cadence_id, created_at, updated_at
FROM product
WHERE (%(collection_id)s::text IS NULL OR collection_id = %(collection_id)s)
  AND (%(cadence_id)s::text IS NULL OR cadence_id = %(cadence_id)s)
  AND product_key > %(after)s
ORDER BY product_key
LIMIT %(limit)s;
