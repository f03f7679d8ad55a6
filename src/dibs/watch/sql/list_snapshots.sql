SELECT snapshot_id, watch_key, provider, seen_at, source_hash, outcome, reason, open_count, opened, closed, skipped,
       requests, duration_ms
FROM watch_snapshot
WHERE watch_key = %(watch_key)s
  AND seen_at >= %(since)s
  AND (%(before_at)s::timestamptz IS NULL
       OR (seen_at, snapshot_id) < (%(before_at)s::timestamptz, %(before_id)s::bigint))
ORDER BY seen_at DESC, snapshot_id DESC
LIMIT %(limit)s;
