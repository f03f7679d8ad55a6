INSERT INTO watch_snapshot (watch_key, provider, seen_at, source_hash, outcome, reason, open_count, opened, closed,
                            skipped, requests, duration_ms)
VALUES (%(watch_key)s, %(provider)s, %(seen_at)s, %(source_hash)s, %(outcome)s, %(reason)s, %(open_count)s,
        %(opened)s, %(closed)s, %(skipped)s, %(requests)s, %(duration_ms)s)
RETURNING snapshot_id;
