SELECT line_check.check_key, line_check.restaurant_id, line_check.service_date, line_check.changes,
       restaurants.slug
FROM line_check
JOIN restaurants USING (restaurant_id)
WHERE line_check.check_key = ANY (%(check_keys)s);
