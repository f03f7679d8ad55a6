-- The lease was ours until the statement before: the run is over, its place rests, the next one may come.
WITH finished AS (
    UPDATE collection_request
    SET status = %(status)s,
        last_outcome = %(outcome)s,
        finished_at = %(now)s,
        stage = NULL,
        attempted = %(attempted)s,
        error = %(error)s,
        batches_done = batches_total
    WHERE request_id = %(request_id)s
    RETURNING request_id, term_key, entity_type, run_location_key, started_at
),
rested AS (
    UPDATE collection_target AS target
    SET active_request_id = NULL,
        cooldown_until = %(cooldown_until)s,
        errors_in_a_row = %(errors_in_a_row)s,
        sort_history = %(sort_history)s
    FROM finished
    WHERE target.active_request_id = finished.request_id
)
INSERT INTO collection_run (request_id, location_key, outcome, started_at, finished_at, posts, mentions, error)
SELECT request_id, run_location_key, %(outcome)s, least(started_at, %(now)s), %(now)s, %(posts)s, %(mentions)s,
       %(error)s
FROM finished
RETURNING run_id;
