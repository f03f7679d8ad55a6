SELECT count(*) AS asks FROM wanted_ask WHERE request_id = %(request_id)s AND withdrawn_at IS NULL;
