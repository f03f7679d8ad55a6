UPDATE wanted_ask
SET topic = %(topic)s, subscription_hash = %(subscription_hash)s, subscription_id = NULL
WHERE ask_id = %(ask_id)s AND lease_token = %(token)s;
