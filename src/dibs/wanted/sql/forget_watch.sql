DELETE FROM wanted_watch WHERE watch_key = %(watch_key)s;
