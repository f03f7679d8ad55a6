-- The next look at the place brings them back.
UPDATE entity
SET lat = NULL, lng = NULL, updated_at = %(now)s
WHERE entity_id = ANY (%(entity_ids)s::bigint[]);
