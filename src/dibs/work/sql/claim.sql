WITH clock AS (
    SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS at
),
due AS (
    SELECT item.{key} AS key
    FROM {table} AS item
    WHERE item.due_at <= (SELECT at FROM clock)
      AND (item.lease_until IS NULL OR item.lease_until <= (SELECT at FROM clock))
      AND ({ready})
    ORDER BY {order}
    LIMIT %(limit)s
    FOR UPDATE OF item SKIP LOCKED
)
UPDATE {table} AS item
SET lease_token = %(token)s,
    lease_until = (SELECT at FROM clock) + make_interval(secs => %(lease_s)s),
    leased_by = %(worker)s
FROM due
WHERE item.{key} = due.key
RETURNING item.{key};
