-- Per provider: how much is due and how many lanes it may use now, and when there will be more of each.
WITH clock AS (
    SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS at
),
lane AS (
    SELECT asked.provider, greatest(lane.free_at, pace.paused_until) AS ready_at
    FROM jsonb_to_recordset(%(paces)s) AS asked (provider text, workers integer, degraded_workers integer)
    JOIN provider_pace AS pace ON pace.provider = asked.provider
    JOIN provider_lane AS lane ON lane.provider = asked.provider
     AND lane.lane < CASE pace.profile WHEN 'degraded' THEN asked.degraded_workers ELSE asked.workers END
)
SELECT asked.provider,
       (SELECT count(*) FROM (
            SELECT FROM watch
            WHERE watch.provider = asked.provider AND NOT watch.paused AND watch.due_at <= clock.at
              AND (watch.lease_until IS NULL OR watch.lease_until <= clock.at)
            -- The order keeps to the index; without it few due among many are looked for in all of them.
            ORDER BY watch.due_at
            LIMIT %(most)s) AS due) AS due,
       (SELECT extract(epoch FROM watch.due_at - clock.at)::float8
        FROM watch
        WHERE watch.provider = asked.provider AND NOT watch.paused AND watch.due_at > clock.at
        ORDER BY watch.due_at
        LIMIT 1) AS next_due_in_s,
       (SELECT count(*) FROM lane WHERE lane.provider = asked.provider AND lane.ready_at <= clock.at) AS lanes,
       (SELECT extract(epoch FROM min(lane.ready_at) - clock.at)::float8
        FROM lane
        WHERE lane.provider = asked.provider AND lane.ready_at > clock.at) AS next_lane_in_s
FROM jsonb_to_recordset(%(paces)s) AS asked (provider text), clock;
