-- The watches of a provider that can still see something, and which of them exist only because something is wanted.
SELECT watch.watch_key, watch.paused, ours.watch_key IS NOT NULL AS ours
FROM watch
LEFT JOIN wanted_watch AS ours USING (watch_key)
WHERE watch.provider = %(provider)s
  AND (watch.target_date IS NULL OR watch.target_date >= %(since)s::date)
ORDER BY watch.watch_key;
