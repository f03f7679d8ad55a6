SELECT place_id, restaurant_id, service_date, status, subscription_id, lapses
FROM line_place
WHERE place_id = %(place_id)s
FOR NO KEY UPDATE;
