SELECT greatest(extract(epoch FROM notification.due_at - coalesce(%(now)s::timestamptz, clock_timestamp())), 0)::float8
FROM notification
WHERE notification.due_at IS NOT NULL AND notification.lease_token IS NULL
ORDER BY notification.due_at
LIMIT 1;
