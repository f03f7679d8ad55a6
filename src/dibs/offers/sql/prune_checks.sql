-- Marks of lines in which nobody stands any more; whoever joins makes a new one.
DELETE FROM line_check
WHERE check_key IN (
    SELECT check_key
    FROM line_check
    WHERE due_at IS NULL
      AND lease_token IS NULL
      AND NOT EXISTS (SELECT FROM line_place
                      WHERE line_place.line_key = line_check.check_key AND status IN ('waiting', 'offered'))
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
);
