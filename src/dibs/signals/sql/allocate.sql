WITH asked AS (
    SELECT product_no, floor_restaurant IS NOT NULL AS on_floor,
           %(date)s::date BETWEEN range_start AND range_end AS in_range
    FROM product
    WHERE product_key = %(product_key)s
),
earlier AS (
    SELECT made.reference, made.date, made.quantity, made.allocated_at, made.released_at
    FROM allocation AS made
    JOIN asked USING (product_no)
    WHERE made.date = %(date)s AND made.reference = %(reference)s
),
room AS (
    -- Holding the date is what makes the check hold until the commit.
    SELECT inventory.product_no, inventory.date
    FROM product_date AS inventory
    JOIN asked USING (product_no)
    WHERE inventory.date = %(date)s
      AND inventory.capacity - inventory.allocated >= %(quantity)s
      AND asked.in_range
      AND NOT asked.on_floor
      AND NOT EXISTS (SELECT FROM earlier)
    FOR NO KEY UPDATE OF inventory
),
made AS (
    INSERT INTO allocation (product_no, date, reference, quantity, allocated_at)
    SELECT product_no, date, %(reference)s, %(quantity)s, coalesce(%(now)s::timestamptz, clock_timestamp())
    FROM room
    RETURNING reference, date, quantity, allocated_at, released_at
)
SELECT asked.on_floor,
       asked.in_range,
       inventory.date IS NOT NULL AS seeded,
       inventory.capacity,
       inventory.allocated,
       found.reference, found.date, found.quantity, found.allocated_at, found.released_at
FROM asked
LEFT JOIN product_date AS inventory ON inventory.product_no = asked.product_no AND inventory.date = %(date)s
LEFT JOIN (SELECT * FROM earlier UNION ALL SELECT * FROM made) AS found ON true;
