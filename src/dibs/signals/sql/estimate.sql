WITH dirty AS MATERIALIZED (
    SELECT signal.product_no, signal.date, signal.changes
    FROM availability_signal AS signal
    WHERE signal.cadence_id = %(cadence_id)s
      AND signal.dirty
      AND (signal.product_no, signal.date) > (%(after_no)s, %(after_date)s::date)
      AND (signal.product_no, signal.date) <= (%(upto_no)s, %(upto_date)s::date)
      AND signal.expiry > %(now)s
    ORDER BY signal.product_no, signal.date
    LIMIT %(limit)s
),
estimate AS MATERIALIZED (
    -- The truth of the snapshot that the counter is from, and no lock on either: nobody waits while we compute.
    SELECT dirty.product_no, dirty.date, dirty.changes, truth.available, truth.capacity, truth.tier, truth.reason
    FROM dirty
    JOIN product_date_truth AS truth ON truth.product_no = dirty.product_no AND truth.date = dirty.date
),
held AS (
    -- The row as it is now: what another tick has cached since is what our value is compared with, and if it has
    -- seen as much as we have there is nothing to write.
    SELECT estimate.*, signal.available AS before, signal.tier AS tier_before
    FROM estimate
    JOIN availability_signal AS signal ON signal.product_no = estimate.product_no AND signal.date = estimate.date
    WHERE signal.seen < estimate.changes
    FOR NO KEY UPDATE OF signal SKIP LOCKED
),
written AS (
    UPDATE availability_signal AS signal
    SET available = held.available,
        capacity = held.capacity,
        tier = held.tier,
        reason = held.reason,
        -- Only what this estimate has seen; what came since leaves the signal dirty.
        seen = held.changes,
        version = signal.version + 1,
        generation = signal.generation + (held.before = 0 AND held.available > 0)::integer,
        opened_at = CASE WHEN held.before = 0 AND held.available > 0 THEN %(now)s ELSE signal.opened_at END,
        last_updated_at = %(now)s
    FROM held
    WHERE signal.product_no = held.product_no AND signal.date = held.date
    RETURNING signal.product_no, signal.date, signal.global_id, signal.cadence_id, signal.available, signal.capacity,
              signal.tier, signal.reason, signal.generation, signal.opened_at, signal.version, held.before, held.tier_before
),
passed_over AS (
    SELECT product_no, date FROM dirty EXCEPT SELECT product_no, date FROM written
),
edge AS (
    SELECT product.product_key, product.collection_id, product.activity_type, product.activity_id,
           product.product_id, product.name, written.cadence_id, written.date,
           start_of_date(written.date, product.timezone) AS starts_at, written.global_id, written.before,
           written.available, written.capacity, written.tier, written.reason, written.generation, written.opened_at,
           written.version
    FROM written
    JOIN product USING (product_no)
    WHERE (written.before > 0) <> (written.available > 0)
)
SELECT (SELECT count(*) FROM dirty) AS checked,
       (SELECT count(*) FROM written) AS estimated,
       (SELECT count(*) FROM written
        WHERE CASE WHEN tier IS NULL AND tier_before IS NULL THEN available <> before
                   ELSE tier IS DISTINCT FROM tier_before END) AS changed,
       (SELECT coalesce(jsonb_agg(to_jsonb(edge) ORDER BY edge.product_key, edge.date), '[]') FROM edge) AS edges,
       (SELECT coalesce(jsonb_agg(jsonb_build_array(product_no, date)), '[]') FROM passed_over) AS passed_over,
       last.product_no AS last_no,
       last.date AS last_date
FROM (VALUES (1)) AS always
LEFT JOIN LATERAL (SELECT product_no, date FROM dirty ORDER BY product_no DESC, date DESC LIMIT 1) AS last ON true;
