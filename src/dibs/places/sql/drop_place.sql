-- The place id is no longer valid: the restaurant is looked up anew.
UPDATE entity
SET google_place_id = NULL, lat = NULL, lng = NULL, updated_at = %(now)s
WHERE entity_id = %(entity_id)s AND google_place_id = %(google_place_id)s;
