INSERT INTO line_place (line_key, restaurant_id, service_date, party_size, product_no, product_key, quantity,
                        earliest_date, latest_date, earliest, latest, until, topic, channel, address_key, guest, rank,
                        status, joined_at, due_at)
VALUES (%(line_key)s, %(restaurant_id)s, %(service_date)s, %(party_size)s, %(product_no)s, %(product_key)s,
        %(quantity)s, %(earliest_date)s, %(latest_date)s, %(earliest)s, %(latest)s, %(until)s, %(topic)s, %(channel)s,
        %(address_key)s, %(guest)s, nextval('line_rank'), 'waiting', %(now)s, %(until)s)
ON CONFLICT (line_key, channel, address_key) WHERE status IN ('waiting', 'offered') DO NOTHING
RETURNING place_id;
