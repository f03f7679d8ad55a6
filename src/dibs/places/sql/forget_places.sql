-- Everything but the place id may be kept only so long; the next look brings it back.
UPDATE entity_enrichment
SET address = NULL, place_types = '{}', place_read_at = NULL
WHERE place_read_at < %(before)s
RETURNING entity_id;
