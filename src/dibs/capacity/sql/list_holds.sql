SELECT hold.hold_id, hold.restaurant_id, hold.zone_id, hold.booking_id, hold.table_ids, hold.party_size,
       lower(hold.blocked) AS start_at, upper(hold.blocked) AS end_at, hold.service_date, hold.status,
       hold.expires_at, hold.held_by, hold.created_at
FROM table_holds AS hold
JOIN restaurants AS restaurant USING (restaurant_id)
WHERE hold.status = 'held'
  AND hold.expires_at > coalesce(%(now)s::timestamptz, clock_timestamp())
  AND (%(restaurant)s::text IS NULL OR restaurant.slug = %(restaurant)s)
  AND (%(booking_id)s::uuid IS NULL OR hold.booking_id = %(booking_id)s)
  AND (%(after_expiry)s::timestamptz IS NULL
       OR (hold.expires_at, hold.hold_id) > (%(after_expiry)s, %(after_id)s::uuid))
ORDER BY hold.expires_at, hold.hold_id
LIMIT %(limit)s;
