SELECT extend_hold(%(hold_id)s, %(seconds)s::integer, %(now)s::timestamptz);
