UPDATE access_token
SET revoked_at = coalesce(revoked_at, %(now)s)
WHERE token_id = %(token_id)s
RETURNING token_id, name, scope, created_at, revoked_at;
