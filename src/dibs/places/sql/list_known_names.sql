-- What a text of this community may speak of: its restaurants, and foods and attributes of the whole world.
WITH here AS (
    SELECT entity_id, type, name FROM entity WHERE type = 'restaurant' AND location_key = %(location_key)s
                                               AND status <> 'rejected'
    UNION ALL
    SELECT entity_id, type, name FROM entity WHERE type <> 'restaurant' AND status <> 'rejected'
)
SELECT entity_id, type, name FROM here
UNION ALL
SELECT here.entity_id, here.type, entity_alias.alias FROM here JOIN entity_alias USING (entity_id);
