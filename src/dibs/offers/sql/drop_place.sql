DELETE FROM line_place WHERE place_id = %(place_id)s AND subscription_id IS NULL;
