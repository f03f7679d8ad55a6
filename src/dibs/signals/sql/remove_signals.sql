WITH over AS (
    SELECT product_no, date
    FROM availability_signal
    WHERE expiry <= %(before)s AND ended
    ORDER BY expiry
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
)
DELETE FROM availability_signal AS signal
USING over
WHERE signal.product_no = over.product_no AND signal.date = over.date;
