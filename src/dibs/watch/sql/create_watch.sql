INSERT INTO watch (watch_key, provider, bucket_id, query, policy, cadence, target_date, rolling, created_at, due_at)
VALUES (%(watch_key)s, %(provider)s, %(bucket_id)s, %(query)s, %(policy)s, %(cadence)s, %(target_date)s,
        %(rolling)s, %(at)s, %(at)s)
-- Whichever of its unique keys is met first: with one of them named, a racer would fail on the other.
ON CONFLICT DO NOTHING
RETURNING pg_notify('dibs_watch', '');
