UPDATE collection_request
SET stage = %(stage)s,
    posts_found = %(posts_found)s,
    batches_total = %(batches_total)s,
    batches_done = %(batches_done)s,
    mentions_found = %(mentions_found)s,
    entities_found = %(entities_found)s,
    attempted = %(attempted)s,
    lease_until = coalesce(%(now)s::timestamptz, clock_timestamp()) + make_interval(secs => %(lease_s)s)
WHERE request_id = %(request_id)s AND lease_token = %(token)s AND status = 'processing'
RETURNING request_id;
