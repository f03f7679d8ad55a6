-- The dates of a product follow its range: missing ones are seeded (their trigger brings the signals), those without
-- a capacity of their own take the product's, and those outside go unless something is or was allocated there.
WITH plan AS (
    SELECT product_no, capacity, range_start, range_end FROM product WHERE product_no = %(product_no)s
),
seeded AS (
    INSERT INTO product_date (product_no, date, capacity, seeded_at)
    SELECT plan.product_no, day::date, plan.capacity, %(now)s
    FROM plan, generate_series(plan.range_start::timestamp, plan.range_end, interval '1 day') AS day
    ON CONFLICT (product_no, date) DO NOTHING
    RETURNING date
),
resized AS (
    UPDATE product_date AS inventory
    SET capacity = plan.capacity
    FROM plan
    WHERE inventory.product_no = plan.product_no
      AND NOT inventory.own_capacity
      AND inventory.capacity <> plan.capacity
      AND inventory.date BETWEEN plan.range_start AND plan.range_end
    RETURNING inventory.date
),
removed AS (
    DELETE FROM product_date AS inventory
    USING plan
    WHERE inventory.product_no = plan.product_no
      AND inventory.date NOT BETWEEN plan.range_start AND plan.range_end
      AND inventory.allocated = 0
      AND NOT EXISTS (SELECT FROM allocation AS made
                      WHERE made.product_no = inventory.product_no AND made.date = inventory.date)
    RETURNING inventory.date
),
edge AS (
    -- What could be had until now on the dates that go; their signals are still there in this snapshot.
    SELECT product.product_key, product.collection_id, product.activity_type, product.activity_id,
           product.product_id, product.name, signal.cadence_id, signal.date,
           start_of_date(signal.date, product.timezone) AS starts_at, signal.global_id, signal.available AS before,
           0 AS available, signal.capacity, signal.tier, 'out_of_range' AS reason, signal.generation,
           signal.opened_at, signal.version
    FROM removed
    JOIN plan ON true
    JOIN product ON product.product_no = plan.product_no
    JOIN availability_signal AS signal ON signal.product_no = plan.product_no AND signal.date = removed.date
    WHERE signal.available > 0 AND signal.expiry > %(now)s
)
SELECT (SELECT count(*) FROM resized) AS resized,
       (SELECT count(*) FROM removed) AS removed,
       (SELECT coalesce(array_agg(date ORDER BY date), '{}') FROM seeded) AS seeded_dates,
       (SELECT coalesce(jsonb_agg(to_jsonb(edge) ORDER BY edge.date), '[]') FROM edge) AS edges,
       (SELECT count(*) FROM product_date AS inventory, plan
        WHERE inventory.product_no = plan.product_no
          AND inventory.date NOT BETWEEN plan.range_start AND plan.range_end)
           - (SELECT count(*) FROM removed) AS kept;
