-- Lanes that have rested, as many as are wanted; none while the provider is paused. A person who insists may ask
-- through a pause of our own making, never through one that the provider asked for.
WITH clock AS (
    SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS at
),
pace AS (
    SELECT profile, CASE profile WHEN 'degraded' THEN %(degraded_workers)s ELSE %(workers)s END AS lanes
    FROM provider_pace, clock
    WHERE provider = %(provider)s
      AND (paused_until IS NULL OR paused_until <= clock.at
           OR (%(insist)s AND coalesce(asked_until <= clock.at, true)))
),
rested AS (
    SELECT lane.lane
    FROM provider_lane AS lane, pace, clock
    WHERE lane.provider = %(provider)s AND lane.lane < pace.lanes AND lane.free_at <= clock.at
    ORDER BY lane.free_at
    LIMIT %(wanted)s
    FOR UPDATE OF lane SKIP LOCKED
)
UPDATE provider_lane AS lane
SET holder = %(holder)s,
    free_at = clock.at + make_interval(secs => %(lease_s)s)
FROM rested, pace, clock
WHERE lane.provider = %(provider)s AND lane.lane = rested.lane
RETURNING lane.lane, pace.profile = 'degraded' AS degraded;
