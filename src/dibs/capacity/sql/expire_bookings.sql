-- A booking that never got a table and whose meal is over waits for nobody.
WITH past AS (
    SELECT booking_id FROM bookings
    WHERE status = 'pending' AND end_at <= coalesce(%(now)s::timestamptz, clock_timestamp())
    ORDER BY end_at
    LIMIT %(limit)s
    FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE bookings AS booking
SET status = 'expired', updated_at = coalesce(%(now)s::timestamptz, clock_timestamp())
FROM past
WHERE booking.booking_id = past.booking_id;
