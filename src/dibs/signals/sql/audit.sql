-- Cache and truth of one snapshot. Whoever changes the truth makes the signal dirty in the same transaction, so a
-- signal that is clean in a snapshot equals the truth of that snapshot.
WITH looked_at AS MATERIALIZED (
    SELECT signal.product_no, signal.date, signal.available, signal.capacity, signal.tier, signal.reason,
           signal.dirty, signal.expiry
    FROM availability_signal AS signal
    WHERE (signal.product_no, signal.date) > (%(after_no)s, %(after_date)s::date)
    ORDER BY signal.product_no, signal.date
    LIMIT %(limit)s
),
clean AS (
    SELECT looked_at.*, product.product_key
    FROM looked_at
    JOIN product USING (product_no)
    WHERE NOT looked_at.dirty
      AND looked_at.expiry > %(now)s
      AND NOT EXISTS (
          SELECT FROM floor_change AS change
          WHERE change.restaurant = product.floor_restaurant
            AND (change.service_date = looked_at.date OR change.service_date IS NULL))
),
drift AS (
    SELECT clean.product_no, clean.product_key, clean.date,
           clean.available AS cached, clean.tier AS cached_tier, truth.available AS truth, truth.tier AS truth_tier
    FROM clean
    JOIN product_date_truth AS truth ON truth.product_no = clean.product_no AND truth.date = clean.date
    WHERE (clean.available, clean.capacity, clean.tier, clean.reason)
          IS DISTINCT FROM (truth.available, truth.capacity, truth.tier, truth.reason)
)
SELECT (SELECT count(*) FROM looked_at) AS looked_at,
       (SELECT count(*) FROM clean) AS compared,
       (SELECT coalesce(jsonb_agg(to_jsonb(drift)), '[]') FROM drift) AS drifts,
       last.product_no AS last_no,
       last.date AS last_date
FROM (VALUES (1)) AS always
LEFT JOIN LATERAL (
    SELECT product_no, date FROM looked_at ORDER BY product_no DESC, date DESC LIMIT 1
) AS last ON true;
