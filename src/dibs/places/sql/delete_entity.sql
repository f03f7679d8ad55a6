DELETE FROM entity WHERE entity_id = %(entity_id)s;
