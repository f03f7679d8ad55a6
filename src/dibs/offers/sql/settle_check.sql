-- What changed while the line was looked at makes it due again at once.
UPDATE line_check
SET due_at = CASE WHEN changes = %(changes)s THEN %(again_at)s::timestamptz ELSE '-infinity'::timestamptz END,
    lease_token = NULL,
    lease_until = NULL,
    leased_by = NULL
WHERE check_key = %(line_key)s AND lease_token = %(token)s;
