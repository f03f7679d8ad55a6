SELECT ask_line(%(restaurant_id)s, %(service_date)s);
