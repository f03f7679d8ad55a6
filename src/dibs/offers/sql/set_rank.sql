UPDATE line_place SET rank = %(rank)s WHERE place_id = %(place_id)s AND status IN ('waiting', 'offered');
