-- Restaurants without a place are to be looked up, once; the first bias stays.
WITH wanted AS (
    INSERT INTO entity_enrichment (entity_id, bias_lat, bias_lng, bias_radius_m, created_at, due_at)
    SELECT entity_id, %(bias_lat)s, %(bias_lng)s, %(bias_radius_m)s, %(now)s, %(now)s
    FROM entity
    WHERE entity_id = ANY (%(entity_ids)s::bigint[])
      AND type = 'restaurant'
      AND status <> 'rejected'
      AND google_place_id IS NULL
    ORDER BY entity_id
    ON CONFLICT (entity_id) DO NOTHING
    RETURNING entity_id
)
SELECT count(*), pg_notify('dibs_enrich', '') FROM wanted HAVING count(*) > 0;
