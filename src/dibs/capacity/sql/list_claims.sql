-- The claims of a floor between two moments, for people: the plan and the timeline.
SELECT claim.table_id,
       lower(claim.blocked) AS start_at,
       upper(claim.blocked) AS end_at,
       claim.resource_type,
       claim.booking_id,
       claim.hold_id,
       coalesce(booking.party_size, hold.party_size) AS party_size,
       booking.status AS booking_status,
       hold.expires_at
FROM allocations AS claim
LEFT JOIN table_holds AS hold ON hold.hold_id = claim.hold_id
LEFT JOIN bookings AS booking ON booking.booking_id = claim.booking_id
WHERE claim.restaurant_id = %(restaurant_id)s
  AND lower(claim.blocked) > %(start_at)s - interval '12 hours'
  AND lower(claim.blocked) < %(end_at)s
  AND upper(claim.blocked) > %(start_at)s
  AND (claim.lapses_at IS NULL OR claim.lapses_at > coalesce(%(now)s, clock_timestamp()))
ORDER BY lower(claim.blocked), claim.table_id;
