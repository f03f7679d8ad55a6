-- The outcome of one look that was read, or that failed.
UPDATE watch
SET outcome = %(outcome)s,
    reason = %(reason)s,
    last_polled_at = %(seen_at)s::timestamptz,
    last_good_at = CASE WHEN %(good)s::boolean THEN %(seen_at)s::timestamptz ELSE last_good_at END,
    looked_at = CASE WHEN %(good)s::boolean THEN %(looked_at)s::timestamptz ELSE looked_at END,
    last_changed_at = CASE WHEN %(changed)s::boolean THEN %(seen_at)s::timestamptz ELSE last_changed_at END,
    open_count = coalesce(%(open_count)s::integer, open_count),
    consecutive_failures = %(failures)s,
    configuration_fault = %(configuration_fault)s,
    heat = %(heat)s,
    quiet_polls = %(quiet_polls)s,
    -- A look that was read has counted them.
    beats = CASE WHEN %(outcome)s = 'failed' THEN beats ELSE 0 END,
    source_hash = CASE WHEN %(keep_validators)s::boolean THEN source_hash ELSE %(source_hash)s::text END,
    etag = CASE WHEN %(keep_validators)s::boolean THEN etag ELSE %(etag)s::text END,
    last_modified = CASE WHEN %(keep_validators)s::boolean THEN last_modified ELSE %(last_modified)s::text END
WHERE watch_key = %(watch_key)s;
