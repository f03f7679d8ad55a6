SELECT ask_id
FROM wanted_ask
WHERE request_id = %(request_id)s AND channel = %(channel)s AND address_key = %(address_key)s AND withdrawn_at IS NULL;
