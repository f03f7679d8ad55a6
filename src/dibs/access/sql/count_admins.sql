SELECT count(*) FROM access_token WHERE scope = 'admin' AND revoked_at IS NULL;
