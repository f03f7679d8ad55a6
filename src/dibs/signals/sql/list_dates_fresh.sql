-- The truth itself; the cache only lends its version.
SELECT truth.date, truth.available, truth.capacity, truth.tier, truth.reason, %(now)s::timestamptz AS last_updated_at,
       signal.version, false AS dirty
FROM product
JOIN product_date_truth AS truth USING (product_no)
JOIN availability_signal AS signal USING (product_no, date)
WHERE product.product_key = %(product_key)s
  AND truth.date BETWEEN %(first)s AND %(last)s
  AND signal.expiry > %(now)s
ORDER BY truth.date
LIMIT %(limit)s;
