SELECT entity_id, type FROM entity WHERE entity_id = ANY (%(entity_ids)s::bigint[]) ORDER BY entity_id FOR UPDATE;
