SELECT snapshot_id, watch_key, provider, seen_at, source_hash, outcome, reason, open_count, opened, closed, skipped,
       requests, duration_ms
FROM watch_snapshot
WHERE snapshot_id = %(snapshot_id)s;
