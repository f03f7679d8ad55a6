SELECT location_key, lat, lng, active, posts_per_day, activity_from, safe_interval_days, sampled_at, sample_error,
       due_at
FROM community
WHERE location_key = %(location_key)s;
