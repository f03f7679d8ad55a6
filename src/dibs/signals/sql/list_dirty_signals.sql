-- By the index of dirty signals, and the floors whose changes wait to be folded in.
WITH cadences AS (
    SELECT DISTINCT cadence_id FROM product WHERE %(cadence_id)s::text IS NULL OR cadence_id = %(cadence_id)s
),
counted AS (
    SELECT marked.product_no, marked.date
    FROM cadences
    CROSS JOIN LATERAL (
        SELECT signal.product_no, signal.date
        FROM availability_signal AS signal
        WHERE signal.cadence_id = cadences.cadence_id
          AND signal.dirty
          AND (signal.product_no, signal.date) > (%(after_no)s, %(after_date)s::date)
          AND signal.expiry > %(now)s
        ORDER BY signal.product_no, signal.date
        LIMIT %(limit)s
    ) AS marked
),
waiting AS (
    SELECT signal.product_no, signal.date
    FROM (SELECT DISTINCT restaurant, service_date FROM floor_change) AS change
    JOIN product ON product.floor_restaurant = change.restaurant
    JOIN cadences ON cadences.cadence_id = product.cadence_id
    JOIN availability_signal AS signal ON signal.product_no = product.product_no
        AND (change.service_date IS NULL OR signal.date = change.service_date)
    WHERE (signal.product_no, signal.date) > (%(after_no)s, %(after_date)s::date)
      AND signal.expiry > %(now)s
),
shown AS (
    SELECT product_no, date FROM counted
    UNION
    SELECT product_no, date FROM waiting
    ORDER BY product_no, date
    LIMIT %(limit)s
)
SELECT product.product_no, 'availabilitySignal::' || product.product_key AS pk, signal.date::text AS sk,
       signal.cadence_id AS gsipk, 'dirty' AS gsisk, signal.global_id, signal.available, signal.tier,
       signal.last_updated_at, product.pattern, signal.expiry
FROM shown
JOIN availability_signal AS signal USING (product_no, date)
JOIN product USING (product_no)
ORDER BY signal.product_no, signal.date;
