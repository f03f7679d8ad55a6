INSERT INTO wanted_watch (watch_key, provider, day)
SELECT watch_key, %(provider)s, day
FROM unnest(%(watch_keys)s::text[], %(days)s::date[]) AS made (watch_key, day)
ORDER BY watch_key
ON CONFLICT (watch_key) DO NOTHING;
