SELECT request.request_id, request.term, request.entity_type, request.reason, request.location_key,
       request.run_location_key, request.occurrence_count, request.first_seen_at, request.last_seen_at, request.status,
       request.last_outcome, request.due_at, target.cooldown_until, coalesce(target.sort_history, '{}') AS sort_history,
       request.attempted, request.error, request.refused, request.stage, request.posts_found, request.batches_total,
       request.batches_done, request.mentions_found, request.entities_found, request.queued_at, request.started_at,
       request.finished_at
FROM collection_request AS request
LEFT JOIN collection_target AS target ON target.term_key = request.term_key
                                     AND target.entity_type = request.entity_type
                                     AND target.location_key = request.run_location_key
WHERE (%(status)s::text IS NULL OR request.status = %(status)s)
  AND (%(location_key)s::text IS NULL OR request.run_location_key = %(location_key)s)
  AND (%(before_at)s::timestamptz IS NULL
       OR (request.last_seen_at, request.request_id) < (%(before_at)s, %(before_id)s::bigint))
ORDER BY request.last_seen_at DESC, request.request_id DESC
LIMIT %(limit)s;
