WITH named AS (
    SELECT made.product_no, made.date, made.reference, made.quantity, made.allocated_at, made.released_at
    FROM allocation AS made
    JOIN product USING (product_no)
    WHERE product.product_key = %(product_key)s AND made.date = %(date)s AND made.reference = %(reference)s
),
released AS (
    UPDATE allocation AS made
    SET released_at = coalesce(%(now)s::timestamptz, clock_timestamp())
    FROM named
    WHERE made.product_no = named.product_no AND made.date = named.date AND made.reference = named.reference
      AND made.released_at IS NULL
      AND (%(quantity)s::integer IS NULL OR made.quantity = %(quantity)s)
    RETURNING made.released_at
)
SELECT named.reference, named.date, named.quantity, named.allocated_at,
       coalesce(named.released_at, released.released_at) AS released_at
FROM named
LEFT JOIN released ON true;
