SELECT count(*) AS pending,
       extract(epoch FROM coalesce(%(now)s::timestamptz, clock_timestamp()) - min(created_at))::float8 AS oldest_s,
       count(*) FILTER (WHERE lease_until < coalesce(%(now)s::timestamptz, clock_timestamp())) AS interrupted
FROM notification
WHERE due_at IS NOT NULL;
