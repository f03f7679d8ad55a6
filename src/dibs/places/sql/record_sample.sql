UPDATE community
SET posts_per_day = %(posts_per_day)s,
    activity_from = 'sample',
    safe_interval_days = %(safe_interval_days)s,
    sampled_at = %(now)s,
    sample_failures = 0,
    sample_error = NULL,
    updated_at = %(now)s
WHERE location_key = %(location_key)s;
