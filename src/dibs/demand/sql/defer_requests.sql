-- Too much waits: these come due by themselves a little later, and rest until then.
WITH asked AS (
    SELECT request_id, term_key, entity_type
    FROM collection_request
    WHERE request_id = ANY (%(request_ids)s::bigint[]) AND status IN ('pending', 'completed')
    ORDER BY term_key, entity_type, reason, location_key
    FOR NO KEY UPDATE
),
rested AS (
    INSERT INTO collection_target AS target (term_key, entity_type, location_key, cooldown_until)
    SELECT DISTINCT term_key, entity_type, %(place)s::text, %(until)s::timestamptz FROM asked ORDER BY term_key, entity_type
    ON CONFLICT (term_key, entity_type, location_key) DO UPDATE
    SET cooldown_until = greatest(target.cooldown_until, excluded.cooldown_until)
)
UPDATE collection_request AS request
SET status = 'pending',
    last_outcome = 'deferred',
    run_location_key = %(place)s,
    due_at = %(until)s,
    bias_lat = coalesce(%(bias_lat)s::float8, request.bias_lat),
    bias_lng = coalesce(%(bias_lng)s::float8, request.bias_lng),
    bias_radius_m = coalesce(%(bias_radius_m)s::float8, request.bias_radius_m)
FROM asked
WHERE request.request_id = asked.request_id
RETURNING request.request_id;
