SELECT line_check.check_key AS line_key, line_check.changes, restaurants.slug AS restaurant, line_check.service_date,
       line_check.product_no
FROM line_check
LEFT JOIN restaurants USING (restaurant_id)
WHERE line_check.check_key = ANY (%(check_keys)s);
