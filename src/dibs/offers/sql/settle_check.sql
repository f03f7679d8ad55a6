-- What changed while the day was looked at makes it due again.
UPDATE line_check
SET due_at = CASE WHEN changes = %(changes)s THEN NULL ELSE '-infinity'::timestamptz END,
    lease_token = NULL,
    lease_until = NULL,
    leased_by = NULL
WHERE check_key = %(check_key)s AND lease_token = %(token)s;
