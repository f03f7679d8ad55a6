-- From the cache only, each date as the document that a reader gets. A signal on a floor is also dirty while a change
-- of that floor waits to be folded in.
SELECT signal.date,
       (SELECT row_to_json(answer) FROM (
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
                  signal.version) AS answer)::text AS document
FROM product
JOIN availability_signal AS signal USING (product_no)
WHERE product.product_key = %(product_key)s
  AND signal.date BETWEEN %(first)s AND %(last)s
  AND signal.expiry > %(now)s
ORDER BY signal.date
LIMIT %(limit)s;
