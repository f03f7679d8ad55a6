SELECT unassign_tables(%(booking_id)s, %(now)s::timestamptz);
