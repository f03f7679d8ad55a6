-- Looks that showed nothing new: the watch lives and is due again, its lane rests, and the snapshot says so.
-- A watch whose lease went to somebody else meanwhile is left alone, and so is a lane.
WITH beat AS (
    SELECT *
    FROM jsonb_to_recordset(%(beats)s) AS beat (
        watch_key text, token uuid, lane integer, holder uuid, gap_s float8, due_at timestamptz, looked_at timestamptz,
        seen_at timestamptz, requests integer, duration_ms integer, heat float8, quiet_polls integer
    )
),
rested AS (
    UPDATE provider_lane AS lane
    SET holder = NULL,
        free_at = coalesce(%(now)s::timestamptz, clock_timestamp()) + make_interval(secs => beat.gap_s)
    FROM beat
    WHERE lane.provider = %(provider)s AND lane.lane = beat.lane AND lane.holder = beat.holder
),
alive AS (
    UPDATE watch
    SET due_at = beat.due_at,
        lease_token = NULL,
        lease_until = NULL,
        leased_by = NULL,
        outcome = 'unchanged',
        reason = '',
        last_polled_at = beat.seen_at,
        last_good_at = beat.seen_at,
        looked_at = beat.looked_at,
        consecutive_failures = 0,
        configuration_fault = false,
        heat = beat.heat,
        quiet_polls = beat.quiet_polls,
        beats = watch.beats + 1
    FROM beat
    WHERE watch.watch_key = beat.watch_key AND watch.lease_token = beat.token
    RETURNING watch.watch_key, watch.provider, watch.open_count, watch.source_hash,
              beat.seen_at, beat.requests, beat.duration_ms
)
INSERT INTO watch_snapshot (watch_key, provider, seen_at, source_hash, outcome, open_count, requests, duration_ms)
SELECT watch_key, provider, seen_at, source_hash, 'unchanged', open_count, requests, duration_ms
FROM alive
RETURNING watch_key, snapshot_id;
