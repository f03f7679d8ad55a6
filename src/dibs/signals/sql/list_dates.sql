-- From the cache only. A signal on a floor is also dirty while a change of that floor waits to be folded in.
SELECT signal.date, signal.available, signal.capacity, signal.tier, signal.reason, signal.last_updated_at,
       signal.version,
       signal.dirty OR (product.floor_restaurant IS NOT NULL AND EXISTS (
           SELECT FROM floor_change AS change
           WHERE change.restaurant = product.floor_restaurant
             AND (change.service_date = signal.date OR change.service_date IS NULL))) AS dirty
FROM product
JOIN availability_signal AS signal USING (product_no)
WHERE product.product_key = %(product_key)s
  AND signal.date BETWEEN %(first)s AND %(last)s
  AND signal.expiry > %(now)s
ORDER BY signal.date
LIMIT %(limit)s;
