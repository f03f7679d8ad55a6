-- A longer pause is never shortened.
UPDATE outside_turn
SET paused_until = greatest(
        paused_until, coalesce(%(now)s::timestamptz, clock_timestamp()) + make_interval(secs => %(seconds)s)
    ),
    pause_reason = %(reason)s
WHERE service = %(service)s;
