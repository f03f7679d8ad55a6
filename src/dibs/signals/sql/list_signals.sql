SELECT product.product_no, 'availabilitySignal::' || product.product_key AS pk, signal.date::text AS sk,
       signal.cadence_id AS gsipk, CASE WHEN state.dirty THEN 'dirty' ELSE 'clean' END AS gsisk, signal.global_id,
       signal.available, signal.tier, signal.last_updated_at, product.pattern, signal.expiry
FROM availability_signal AS signal
JOIN product USING (product_no)
CROSS JOIN LATERAL (
    SELECT signal.dirty OR (product.floor_restaurant IS NOT NULL AND EXISTS (
        SELECT FROM floor_change AS change
        WHERE change.restaurant = product.floor_restaurant
          AND (change.service_date = signal.date OR change.service_date IS NULL))) AS dirty
) AS state
WHERE (%(cadence_id)s::text IS NULL OR product.cadence_id = %(cadence_id)s)
  AND (%(dirty)s::boolean IS NULL OR state.dirty = %(dirty)s)
  AND (signal.product_no, signal.date) > (%(after_no)s, %(after_date)s::date)
  AND signal.expiry > %(now)s
ORDER BY signal.product_no, signal.date
LIMIT %(limit)s;
