WITH folded AS (
    DELETE FROM floor_change RETURNING restaurant, service_date
),
touched AS (
    SELECT DISTINCT restaurant, service_date FROM folded
),
affected AS (
    -- In the order of the key, so that whoever else takes several signals waits instead of deadlocking.
    SELECT signal.product_no, signal.date
    FROM touched
    JOIN product ON product.floor_restaurant = touched.restaurant
    JOIN availability_signal AS signal ON signal.product_no = product.product_no
        AND (touched.service_date IS NULL OR signal.date = touched.service_date)
    ORDER BY signal.product_no, signal.date
    FOR NO KEY UPDATE OF signal
)
UPDATE availability_signal AS signal
SET changes = changes + 1
FROM affected
WHERE signal.product_no = affected.product_no AND signal.date = affected.date;
