DELETE FROM watch WHERE watch_key = %(watch_key)s;
