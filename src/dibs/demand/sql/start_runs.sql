-- What was claimed starts now; everything the run needs to know comes with it.
UPDATE collection_request AS request
SET status = 'processing',
    started_at = coalesce(%(now)s::timestamptz, clock_timestamp()),
    stage = 'searching',
    posts_found = 0,
    batches_total = 0,
    batches_done = 0,
    mentions_found = 0,
    entities_found = 0,
    attempted = '[]',
    error = NULL
FROM collection_target AS target, community
WHERE request.request_id = ANY (%(request_ids)s::bigint[])
  AND request.lease_token = %(token)s
  AND target.active_request_id = request.request_id
  AND community.location_key = request.run_location_key
RETURNING request.request_id, request.term, request.entity_type, request.reason,
          request.run_location_key AS location_key, community.lat, community.lng, community.safe_interval_days,
          request.bias_lat, request.bias_lng, request.bias_radius_m, target.sort_history, target.errors_in_a_row,
          request.started_at;
