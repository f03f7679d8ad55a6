-- The truth itself; the cache only lends its version.
SELECT truth.date,
       (SELECT row_to_json(answer) FROM (
           SELECT truth.date,
                  coalesce(to_json(truth.tier), to_json(truth.available)) AS value,
                  truth.tier,
                  truth.available,
                  truth.capacity,
                  truth.reason,
                  to_char(%(now)s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS last_updated_at,
                  0.0 AS age_s,
                  'clean' AS state,
                  signal.version) AS answer)::text AS document
FROM product
JOIN product_date_truth AS truth USING (product_no)
JOIN availability_signal AS signal USING (product_no, date)
WHERE product.product_key = %(product_key)s
  AND truth.date BETWEEN %(first)s AND %(last)s
  AND signal.expiry > %(now)s
ORDER BY truth.date
LIMIT %(limit)s;
