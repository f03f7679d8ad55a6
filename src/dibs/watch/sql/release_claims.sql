-- The provider refuses everybody: whoever asks it now gives up its claim, and all wait for the pause to end.
-- A watch that is being settled this moment gives its claim up itself; waiting for it could wait for ourselves.
WITH held AS (
    SELECT watch_key
    FROM watch
    WHERE provider = %(provider)s AND lease_token IS NOT NULL
    FOR UPDATE SKIP LOCKED
)
UPDATE watch
SET lease_token = NULL,
    lease_until = NULL,
    leased_by = NULL,
    due_at = greatest(watch.due_at, %(until)s)
FROM held
WHERE watch.watch_key = held.watch_key
RETURNING watch.watch_key;
