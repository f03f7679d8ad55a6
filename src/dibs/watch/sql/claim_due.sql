-- Due watches, each with a lane that has rested: as many as there are of both, none while the provider is paused.
-- Rows that another worker is at are passed over; those that find no partner are left as they were.
WITH clock AS (
    SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS at
),
pace AS (
    SELECT profile, CASE profile WHEN 'degraded' THEN %(degraded_workers)s ELSE %(workers)s END AS lanes
    FROM provider_pace
    WHERE provider = %(provider)s AND (paused_until IS NULL OR paused_until <= (SELECT at FROM clock))
),
rested AS (
    SELECT lane.lane
    FROM provider_lane AS lane
    WHERE lane.provider = %(provider)s
      AND lane.lane < (SELECT lanes FROM pace)
      AND lane.free_at <= (SELECT at FROM clock)
    ORDER BY lane.free_at
    LIMIT %(most)s
    FOR UPDATE OF lane SKIP LOCKED
),
due AS (
    SELECT watch.watch_key
    FROM watch
    WHERE watch.provider = %(provider)s
      AND NOT watch.paused
      AND watch.due_at <= (SELECT at FROM clock)
      AND (watch.lease_until IS NULL OR watch.lease_until <= (SELECT at FROM clock))
    ORDER BY watch.due_at
    LIMIT (SELECT count(*) FROM rested)
    FOR UPDATE OF watch SKIP LOCKED
),
pair AS (
    SELECT due.watch_key, rested.lane
    FROM (SELECT watch_key, row_number() OVER () AS place FROM due) AS due
    JOIN (SELECT lane, row_number() OVER () AS place FROM rested) AS rested USING (place)
),
taken AS (
    UPDATE provider_lane AS lane
    SET holder = %(token)s,
        free_at = (SELECT at FROM clock) + make_interval(secs => %(lease_s)s)
    FROM pair
    WHERE lane.provider = %(provider)s AND lane.lane = pair.lane
)
UPDATE watch
SET lease_token = %(token)s,
    lease_until = (SELECT at FROM clock) + make_interval(secs => %(lease_s)s),
    leased_by = %(worker)s
FROM pair
WHERE watch.watch_key = pair.watch_key
RETURNING watch.watch_key, watch.provider, watch.bucket_id, watch.query, watch.policy, watch.cadence,
          watch.target_date, watch.open_count, watch.consecutive_failures, watch.configuration_fault, watch.heat,
          watch.quiet_polls, watch.beats, watch.source_hash, watch.etag, watch.last_modified,
          watch.looked_at, watch.outcome, watch.paused, (SELECT at FROM clock) AS at,
          pair.lane, (SELECT profile FROM pace) = 'degraded' AS degraded;
