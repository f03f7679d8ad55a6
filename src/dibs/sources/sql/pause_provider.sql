-- The provider is in trouble: everybody waits, then goes on carefully. A longer pause is never shortened.
UPDATE provider_pace
SET profile = 'degraded',
    successes = 0,
    reason = %(reason)s,
    changed_at = coalesce(%(now)s::timestamptz, clock_timestamp()),
    paused_until = greatest(
        paused_until, coalesce(%(now)s::timestamptz, clock_timestamp()) + make_interval(secs => %(pause_s)s)
    )
WHERE provider = %(provider)s
RETURNING paused_until;
