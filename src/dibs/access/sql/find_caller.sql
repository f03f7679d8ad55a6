SELECT token_id, name, scope
FROM access_token
WHERE token_hash = %(token_hash)s AND revoked_at IS NULL;
