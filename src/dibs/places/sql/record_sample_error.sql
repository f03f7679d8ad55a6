UPDATE community
SET sample_failures = sample_failures + 1,
    sample_error = %(error)s,
    updated_at = %(now)s
WHERE location_key = %(location_key)s
RETURNING sample_failures;
