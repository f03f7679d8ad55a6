SELECT release_hold(%(hold_id)s, %(now)s::timestamptz);
