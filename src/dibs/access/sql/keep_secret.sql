INSERT INTO access_secret (name, secret, created_at)
VALUES (%(name)s, %(secret)s, %(now)s)
ON CONFLICT (name) DO UPDATE SET name = excluded.name
RETURNING secret;
