SELECT token_id, name, scope, created_at, revoked_at
FROM access_token
ORDER BY token_id;
