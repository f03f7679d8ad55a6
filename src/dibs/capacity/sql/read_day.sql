-- Everything that is taken between two moments, in one row, with the version of the floor it was read with.
-- No claim is longer than half a day (allocations_bounded), so no older one can reach into the window.
SELECT restaurant.floor_version AS version,
       coalesce((
           SELECT json_agg(json_build_array(
                      claim.table_id, extract(epoch FROM lower(claim.blocked)), extract(epoch FROM upper(claim.blocked))))
           FROM allocations AS claim
           LEFT JOIN table_holds AS hold ON hold.hold_id = claim.hold_id
           WHERE claim.restaurant_id = restaurant.restaurant_id
             AND lower(claim.blocked) > %(start_at)s - interval '12 hours'
             AND lower(claim.blocked) < %(end_at)s
             AND upper(claim.blocked) > %(start_at)s
             AND (claim.hold_id IS NULL OR hold.expires_at > coalesce(%(now)s, clock_timestamp()))
       ), '[]') AS claims
FROM restaurants AS restaurant
WHERE restaurant.restaurant_id = %(restaurant_id)s;
