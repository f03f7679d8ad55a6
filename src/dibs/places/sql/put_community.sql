INSERT INTO community AS known (location_key, lat, lng, active, posts_per_day, activity_from, safe_interval_days,
                                created_at, updated_at, due_at)
VALUES (%(location_key)s, %(lat)s, %(lng)s, %(active)s, %(posts_per_day)s::float8,
        CASE WHEN %(posts_per_day)s::float8 IS NULL THEN NULL ELSE 'hand' END, %(safe_interval_days)s,
        %(now)s, %(now)s, %(now)s)
ON CONFLICT (location_key) DO UPDATE
SET lat = excluded.lat,
    lng = excluded.lng,
    active = excluded.active,
    -- What is left out stays as it was.
    posts_per_day = coalesce(excluded.posts_per_day, known.posts_per_day),
    activity_from = coalesce(excluded.activity_from, known.activity_from),
    safe_interval_days = CASE WHEN excluded.posts_per_day IS NULL THEN known.safe_interval_days
                              ELSE excluded.safe_interval_days END,
    updated_at = excluded.updated_at,
    due_at = coalesce(known.due_at, excluded.due_at)
RETURNING location_key, lat, lng, active, posts_per_day, activity_from, safe_interval_days, sampled_at, sample_error,
          due_at;
