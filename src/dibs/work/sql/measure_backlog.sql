-- Counting stops at a bound: past it, "many" is all that people need to know.
WITH clock AS (
    SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS at
),
due AS (
    SELECT item.due_at, coalesce(item.lease_until > (SELECT at FROM clock), false) AS held
    FROM {table} AS item
    WHERE item.due_at <= (SELECT at FROM clock)
      AND ({ready})
    ORDER BY item.due_at
    LIMIT %(most)s
)
SELECT count(*) FILTER (WHERE NOT held) AS waiting,
       count(*) FILTER (WHERE held) AS held,
       min(due_at) FILTER (WHERE NOT held) AS oldest_due_at
FROM due;
