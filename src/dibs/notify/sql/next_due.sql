SELECT min(greatest(extract(epoch FROM next.due_at - coalesce(%(now)s::timestamptz, clock_timestamp())), 0))::float8
FROM unnest(%(channels)s::text[]) AS wanted (channel),
LATERAL (
    SELECT notification.due_at
    FROM notification
    WHERE notification.channel = wanted.channel AND notification.due_at IS NOT NULL AND notification.lease_token IS NULL
    ORDER BY notification.due_at
    LIMIT 1
) AS next;
