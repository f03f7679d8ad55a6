-- Everything but the place id may be kept only so long; the next look brings it back.
WITH old AS (
    UPDATE entity_enrichment
    SET address = NULL, place_types = '{}', place_read_at = NULL
    WHERE place_read_at < %(before)s
    RETURNING entity_id
)
UPDATE entity
SET lat = NULL, lng = NULL, updated_at = %(now)s
FROM old
WHERE entity.entity_id = old.entity_id
RETURNING entity.entity_id;
