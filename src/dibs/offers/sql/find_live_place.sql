SELECT place_id
FROM line_place
WHERE restaurant_id = %(restaurant_id)s
  AND service_date = %(service_date)s
  AND channel = %(channel)s
  AND address_key = %(address_key)s
  AND status IN ('waiting', 'offered');
