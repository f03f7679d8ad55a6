SELECT watch_key FROM watch WHERE provider = %(provider)s AND rolling ORDER BY watch_key;
