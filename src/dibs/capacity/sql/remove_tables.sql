UPDATE table_inventory SET removed_at = %(now)s WHERE table_id = ANY (%(table_ids)s::uuid[]);
