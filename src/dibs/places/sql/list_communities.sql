SELECT location_key, lat, lng, active, posts_per_day, activity_from, safe_interval_days, sampled_at, sample_error,
       due_at
FROM community
WHERE (%(after)s::text IS NULL OR location_key > %(after)s)
  AND (%(active)s::boolean IS NULL OR active = %(active)s)
ORDER BY location_key
LIMIT %(limit)s;
