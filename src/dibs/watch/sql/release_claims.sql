-- The provider refuses everybody: whoever asks it now gives up its claim, and all wait for the pause to end.
UPDATE watch
SET lease_token = NULL,
    lease_until = NULL,
    leased_by = NULL,
    due_at = greatest(due_at, %(until)s)
WHERE provider = %(provider)s
  AND lease_token IS NOT NULL
RETURNING watch_key;
