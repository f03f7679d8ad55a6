-- From the cache only; one row per product, however many there are, with its dates as a reader gets them.
SELECT product.product_key, product.name, coalesce(cached.dates, '[]')::text AS dates
FROM product
CROSS JOIN LATERAL (
    SELECT json_agg(answer ORDER BY answer.date) AS dates
    FROM (
        SELECT signal.date,
               coalesce(to_json(signal.tier), to_json(signal.available)) AS value,
               signal.tier,
               signal.available,
               signal.capacity,
               signal.reason,
               to_char(signal.last_updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
                   AS last_updated_at,
               round(greatest(0, extract(epoch FROM %(now)s - signal.last_updated_at)), 3) AS age_s,
               CASE WHEN signal.dirty OR (product.floor_restaurant IS NOT NULL AND EXISTS (
                   SELECT FROM floor_change AS change
                   WHERE change.restaurant = product.floor_restaurant
                     AND (change.service_date = signal.date OR change.service_date IS NULL)))
                   THEN 'dirty' ELSE 'clean' END AS state,
               signal.version
        FROM availability_signal AS signal
        WHERE signal.product_no = product.product_no
          AND signal.date BETWEEN %(first)s AND %(last)s
          AND signal.expiry > %(now)s
    ) AS answer
) AS cached
WHERE product.collection_id = %(collection_id)s
  AND product.product_key > %(after)s
ORDER BY product.product_key
LIMIT %(limit)s;
