SELECT count(*) AS count
FROM offer
WHERE restaurant_id = %(restaurant_id)s AND service_date = %(service_date)s AND status = 'live';
