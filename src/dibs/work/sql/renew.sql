UPDATE {table} AS item
SET lease_until = coalesce(%(now)s::timestamptz, clock_timestamp()) + make_interval(secs => %(lease_s)s)
WHERE item.{key} = ANY (%(keys)s::{keys})
  AND item.lease_token = %(token)s
RETURNING item.{key};
