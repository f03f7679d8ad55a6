-- Processes line up here; the row is held for one statement more.
SELECT next_at, next_search_at, full_at, paused_until, pause_reason, quota_day, quota_used,
       coalesce(%(now)s::timestamptz, clock_timestamp()) AS now
FROM outside_turn
WHERE service = %(service)s
FOR UPDATE;
