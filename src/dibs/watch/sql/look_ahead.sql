-- Per provider: how much is due, when the next is, and when a lane may be used.
WITH clock AS (
    SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS at
)
SELECT asked.provider,
       (SELECT count(*) FROM (
            SELECT FROM watch
            WHERE watch.provider = asked.provider AND NOT watch.paused AND watch.due_at <= clock.at
              AND (watch.lease_until IS NULL OR watch.lease_until <= clock.at)
            LIMIT %(most)s) AS due) AS due,
       (SELECT extract(epoch FROM watch.due_at - clock.at)::float8
        FROM watch
        WHERE watch.provider = asked.provider AND NOT watch.paused AND watch.due_at > clock.at
        ORDER BY watch.due_at
        LIMIT 1) AS next_due_in_s,
       (SELECT greatest(extract(epoch FROM greatest(min(lane.free_at), pace.paused_until) - clock.at), 0)::float8
        FROM provider_pace AS pace
        JOIN provider_lane AS lane ON lane.provider = pace.provider
        WHERE pace.provider = asked.provider AND lane.free_at > '-infinity'
        GROUP BY pace.paused_until) AS ready_in_s
FROM unnest(%(providers)s::text[]) AS asked (provider), clock;
