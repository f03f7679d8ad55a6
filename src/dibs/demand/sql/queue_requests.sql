-- Queues what has the right to run in the place: nobody else runs it there, and it does not rest there.
WITH asked AS (
    SELECT request_id, term_key, entity_type
    FROM collection_request
    WHERE request_id = ANY (%(request_ids)s::bigint[]) AND status IN ('pending', 'completed')
    ORDER BY term_key, entity_type, reason, location_key
    FOR NO KEY UPDATE
),
granted AS (
    INSERT INTO collection_target AS target (term_key, entity_type, location_key, active_request_id)
    SELECT term_key, entity_type, %(place)s::text, request_id FROM asked ORDER BY term_key, entity_type
    ON CONFLICT (term_key, entity_type, location_key) DO UPDATE
    SET active_request_id = excluded.active_request_id
    WHERE target.active_request_id IS NULL
      AND (target.cooldown_until IS NULL OR target.cooldown_until <= %(now)s OR %(despite_cooldown)s)
    RETURNING active_request_id
),
queued AS (
    UPDATE collection_request AS request
    SET status = 'queued',
        run_location_key = %(place)s,
        queued_at = %(now)s,
        due_at = %(now)s,
        refused = NULL,
        bias_lat = coalesce(%(bias_lat)s::float8, request.bias_lat),
        bias_lng = coalesce(%(bias_lng)s::float8, request.bias_lng),
        bias_radius_m = coalesce(%(bias_radius_m)s::float8, request.bias_radius_m)
    FROM granted
    WHERE request.request_id = granted.active_request_id
    RETURNING request.request_id
)
-- Whoever waits for work is woken when this commits.
SELECT request_id, pg_notify('dibs_collect', '') FROM queued;
