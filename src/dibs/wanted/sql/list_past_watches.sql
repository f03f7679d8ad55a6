SELECT watch_key, provider, day FROM wanted_watch WHERE day < %(before)s::date ORDER BY watch_key;
