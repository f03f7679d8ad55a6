DELETE FROM watch_slot WHERE watch_key = %(watch_key)s AND slot_key = ANY (%(slot_keys)s);
