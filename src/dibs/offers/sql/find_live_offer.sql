SELECT * FROM offer_with_place WHERE place_id = %(place_id)s AND status = 'live';
