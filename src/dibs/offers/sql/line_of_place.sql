SELECT line_key FROM line_place WHERE place_id = %(place_id)s;
