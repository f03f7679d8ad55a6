SELECT place_id
FROM line_place
WHERE line_key = %(line_key)s
  AND channel = %(channel)s
  AND address_key = %(address_key)s
  AND status IN ('waiting', 'offered');
