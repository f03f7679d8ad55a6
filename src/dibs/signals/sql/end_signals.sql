-- Past their date: the hub is told to close what was open, once.
WITH over AS (
    SELECT product_no, date
    FROM availability_signal
    WHERE expiry <= %(now)s AND NOT ended
    ORDER BY expiry
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
),
ended AS (
    UPDATE availability_signal AS signal
    SET ended = true
    FROM over
    WHERE signal.product_no = over.product_no AND signal.date = over.date
    RETURNING signal.*
),
edge AS (
    SELECT product.product_key, product.collection_id, product.activity_type, product.activity_id,
           product.product_id, product.name, ended.cadence_id, ended.date,
           start_of_date(ended.date, product.timezone) AS starts_at, ended.global_id, ended.available AS before,
           0 AS available, ended.capacity, ended.tier, 'expired' AS reason, ended.generation, ended.opened_at,
           ended.version
    FROM ended
    JOIN product USING (product_no)
    WHERE ended.available > 0
)
SELECT (SELECT count(*) FROM ended) AS ended,
       (SELECT coalesce(jsonb_agg(to_jsonb(edge)), '[]') FROM edge) AS edges;
