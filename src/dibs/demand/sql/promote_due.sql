-- Requests whose rest is over join the queue, as many as the pressure lets in, one per term, type and place.
WITH due AS (
    SELECT request_id, term_key, entity_type, run_location_key
    FROM collection_request
    WHERE due_at <= %(now)s AND status IN ('pending', 'completed')
      AND run_location_key IN (SELECT location_key FROM community WHERE active)
    ORDER BY due_at, request_id
    LIMIT %(most)s
    FOR NO KEY UPDATE SKIP LOCKED
),
once AS (
    SELECT DISTINCT ON (term_key, entity_type, run_location_key) * FROM due
    ORDER BY term_key, entity_type, run_location_key, request_id
),
granted AS (
    INSERT INTO collection_target AS target (term_key, entity_type, location_key, active_request_id)
    SELECT term_key, entity_type, run_location_key, request_id FROM once
    ORDER BY term_key, entity_type, run_location_key
    ON CONFLICT (term_key, entity_type, location_key) DO UPDATE
    SET active_request_id = excluded.active_request_id
    WHERE target.active_request_id IS NULL
      AND (target.cooldown_until IS NULL OR target.cooldown_until <= %(now)s)
    RETURNING active_request_id
),
refused AS (
    -- The same thing runs or rests there for another reason: come back when that is over.
    UPDATE collection_request AS request
    SET due_at = greatest(target.cooldown_until, %(now)s::timestamptz + interval '5 minutes')
    FROM due
    LEFT JOIN collection_target AS target ON target.term_key = due.term_key
                                         AND target.entity_type = due.entity_type
                                         AND target.location_key = due.run_location_key
    WHERE request.request_id = due.request_id
      AND request.request_id NOT IN (SELECT active_request_id FROM granted)
),
queued AS (
    UPDATE collection_request AS request
    SET status = 'queued', queued_at = %(now)s, due_at = %(now)s
    FROM granted
    WHERE request.request_id = granted.active_request_id
    RETURNING request.request_id
)
-- Whoever waits for work is woken when this commits.
SELECT request_id, pg_notify('dibs_collect', '') FROM queued;
