SELECT booking.booking_id,
       booking.restaurant_id,
       restaurant.slug AS restaurant,
       booking.party_size,
       booking.start_at,
       booking.end_at,
       lower(booking.blocked) AS blocked_start_at,
       upper(booking.blocked) AS blocked_end_at,
       booking.service_date,
       booking.status,
       booking.guest,
       booking.created_at
FROM bookings AS booking
JOIN restaurants AS restaurant USING (restaurant_id)
WHERE (%(restaurant)s::text IS NULL OR restaurant.slug = %(restaurant)s)
  AND (%(service_date)s::date IS NULL OR booking.service_date = %(service_date)s)
  AND (%(status)s::text IS NULL OR booking.status = %(status)s)
  AND (%(after_start)s::timestamptz IS NULL
       OR (booking.start_at, booking.booking_id) > (%(after_start)s, %(after_id)s::uuid))
ORDER BY booking.start_at, booking.booking_id
LIMIT %(limit)s;
