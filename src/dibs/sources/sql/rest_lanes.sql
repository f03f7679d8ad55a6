-- Each lane rests from now on; one that was taken over meanwhile is left alone.
UPDATE provider_lane AS lane
SET holder = NULL,
    free_at = coalesce(%(now)s::timestamptz, clock_timestamp())
              + make_interval(secs => CASE WHEN resting.used THEN %(gap_s)s ELSE 0 END)
FROM unnest(%(lanes)s::integer[], %(holders)s::uuid[], %(used)s::boolean[]) AS resting (lane, holder, used)
WHERE lane.provider = %(provider)s
  AND lane.lane = resting.lane
  AND lane.holder = resting.holder;
