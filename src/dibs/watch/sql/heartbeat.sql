-- Looks that showed nothing new: the watch lives, and the snapshot says so.
WITH beat AS (
    SELECT *
    FROM jsonb_to_recordset(%(beats)s) AS beat (
        watch_key text, seen_at timestamptz, source_hash text, requests integer, duration_ms integer,
        heat float8, quiet_polls integer
    )
),
alive AS (
    UPDATE watch
    SET outcome = 'unchanged',
        reason = '',
        last_polled_at = beat.seen_at,
        last_good_at = beat.seen_at,
        consecutive_failures = 0,
        configuration_fault = false,
        heat = beat.heat,
        quiet_polls = beat.quiet_polls,
        beats = watch.beats + 1
    FROM beat
    WHERE watch.watch_key = beat.watch_key
    RETURNING watch.watch_key, watch.provider, watch.open_count,
              beat.seen_at, beat.source_hash, beat.requests, beat.duration_ms
)
INSERT INTO watch_snapshot (watch_key, provider, seen_at, source_hash, outcome, open_count, requests, duration_ms)
SELECT watch_key, provider, seen_at, source_hash, 'unchanged', open_count, requests, duration_ms
FROM alive
RETURNING watch_key, snapshot_id;
