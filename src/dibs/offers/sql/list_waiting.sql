-- A place without a subscription could be told nothing; it is half made and never served.
SELECT place_id, party_size, earliest, latest, refused, passed, first_since
FROM line_place
WHERE restaurant_id = %(restaurant_id)s
  AND service_date = %(service_date)s
  AND status = 'waiting'
  AND subscription_id IS NOT NULL
ORDER BY rank, place_id;
