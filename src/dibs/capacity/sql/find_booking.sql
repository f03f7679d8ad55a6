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
WHERE booking.booking_id = %(booking_id)s;
