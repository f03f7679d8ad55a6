INSERT INTO bookings
    (restaurant_id, party_size, start_at, end_at, blocked, service_date, status, guest, created_at, updated_at)
VALUES
    (%(restaurant_id)s, %(party_size)s, %(start_at)s, %(end_at)s,
     tstzrange(%(blocked_start_at)s, %(blocked_end_at)s), %(service_date)s, 'pending', %(guest)s,
     coalesce(%(now)s, clock_timestamp()), coalesce(%(now)s, clock_timestamp()))
RETURNING booking_id;
