INSERT INTO line_place (restaurant_id, topic, channel, address_key, party_size, earliest, latest, service_date, guest,
                        rank, status, joined_at, due_at)
VALUES (%(restaurant_id)s, %(topic)s, %(channel)s, %(address_key)s, %(party_size)s, %(earliest)s, %(latest)s,
        %(service_date)s, %(guest)s, nextval('line_rank'), 'waiting', %(now)s, %(latest)s)
ON CONFLICT (restaurant_id, service_date, channel, address_key) WHERE status IN ('waiting', 'offered') DO NOTHING
RETURNING place_id;
