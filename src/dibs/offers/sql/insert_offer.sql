WITH offered AS (
    UPDATE line_place
    SET status = 'offered', due_at = NULL, passed = 0, first_since = NULL
    WHERE place_id = %(place_id)s AND status = 'waiting'
    RETURNING place_id, restaurant_id, product_no, party_size, quantity
)
INSERT INTO offer (offer_id, place_id, restaurant_id, product_no, hold_id, slot_id, table_numbers, party_size,
                   quantity, start_at, end_at, service_date, status, offered_at, expires_at, due_at)
SELECT %(offer_id)s, place_id, restaurant_id, product_no, %(hold_id)s, %(slot_id)s, %(table_numbers)s, party_size,
       quantity, %(start_at)s, %(end_at)s, %(service_date)s, 'live', %(now)s, %(expires_at)s, %(expires_at)s
FROM offered
ON CONFLICT DO NOTHING;
