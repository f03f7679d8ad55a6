UPDATE entity SET status = %(status)s, updated_at = %(now)s WHERE entity_id = %(entity_id)s;
