-- A place without a subscription could be told nothing; it is half made and never served.
SELECT place_id, coalesce(party_size, quantity) AS size, earliest, latest, earliest_date, latest_date, refused, passed,
       first_since
FROM line_place
WHERE line_key = %(line_key)s
  AND status = 'waiting'
  AND subscription_id IS NOT NULL
ORDER BY rank, place_id;
