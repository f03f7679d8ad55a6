SELECT set_booking_status(%(booking_id)s, %(status)s, %(now)s::timestamptz);
