INSERT INTO access_token (name, scope, token_hash, created_at)
VALUES (%(name)s, %(scope)s, %(token_hash)s, %(now)s)
ON CONFLICT (token_hash) DO NOTHING
RETURNING token_id, name, scope, created_at, revoked_at;
