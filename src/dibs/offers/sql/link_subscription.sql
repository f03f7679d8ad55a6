UPDATE line_place SET subscription_id = %(subscription_id)s WHERE place_id = %(place_id)s;
