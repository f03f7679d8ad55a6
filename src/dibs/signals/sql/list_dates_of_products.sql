-- From the cache only; one row per product, however many there are, with its dates as JSON.
SELECT product.product_key, product.name,
       coalesce(cached.dates, '[]') AS dates
FROM product
CROSS JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object(
               'date', signal.date,
               'available', signal.available,
               'capacity', signal.capacity,
               'tier', signal.tier,
               'reason', signal.reason,
               'last_updated_at', signal.last_updated_at,
               'version', signal.version,
               'dirty', signal.dirty OR (product.floor_restaurant IS NOT NULL AND EXISTS (
                   SELECT FROM floor_change AS change
                   WHERE change.restaurant = product.floor_restaurant
                     AND (change.service_date = signal.date OR change.service_date IS NULL)))
           ) ORDER BY signal.date) AS dates
    FROM availability_signal AS signal
    WHERE signal.product_no = product.product_no
      AND signal.date BETWEEN %(first)s AND %(last)s
      AND signal.expiry > %(now)s
) AS cached
WHERE product.collection_id = %(collection_id)s
  AND product.product_key > %(after)s
ORDER BY product.product_key
LIMIT %(limit)s;
