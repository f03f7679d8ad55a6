-- The lane's holder goes on; no row when the lane was lost or the provider is paused now.
UPDATE provider_lane AS lane
SET free_at = coalesce(%(now)s::timestamptz, clock_timestamp()) + make_interval(secs => %(lease_s)s)
FROM provider_pace AS pace
WHERE lane.provider = %(provider)s
  AND lane.lane = %(lane)s
  AND lane.holder = %(holder)s
  AND pace.provider = lane.provider
  AND (pace.paused_until IS NULL
       OR pace.paused_until <= coalesce(%(now)s::timestamptz, clock_timestamp())
       OR (%(insist)s AND coalesce(pace.asked_until <= coalesce(%(now)s::timestamptz, clock_timestamp()), true)))
RETURNING lane.lane;
