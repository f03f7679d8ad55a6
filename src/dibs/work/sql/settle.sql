WITH outcome AS (
    SELECT * FROM unnest(%(keys)s::{keys}, %(due)s::timestamptz[]) AS outcome (key, due_at)
)
UPDATE {table} AS item
SET due_at = outcome.due_at,
    lease_token = NULL,
    lease_until = NULL,
    leased_by = NULL
FROM outcome
WHERE item.{key} = outcome.key
  AND item.lease_token = %(token)s
RETURNING item.{key};
