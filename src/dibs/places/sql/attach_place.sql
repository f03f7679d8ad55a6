-- Gives the restaurant its place, unless another entity owns that place already: then it says who.
WITH owner AS (
    SELECT entity_id FROM entity
    WHERE google_place_id = %(google_place_id)s AND entity_id <> %(entity_id)s
),
attached AS (
    UPDATE entity
    SET google_place_id = %(google_place_id)s, lat = %(lat)s, lng = %(lng)s, status = 'known', updated_at = %(now)s
    WHERE entity_id = %(entity_id)s AND type = 'restaurant' AND NOT EXISTS (SELECT FROM owner)
    RETURNING entity_id
)
SELECT (SELECT entity_id FROM owner) AS owner_id, (SELECT entity_id FROM attached) AS attached_id;
