WITH before AS (
    SELECT provider, profile FROM provider_pace WHERE provider = %(provider)s FOR UPDATE
)
-- The provider is in trouble: everybody waits, then goes on carefully. A longer pause is never shortened.
UPDATE provider_pace AS pace
SET profile = 'degraded',
    successes = 0,
    reason = %(reason)s,
    changed_at = coalesce(%(now)s::timestamptz, clock_timestamp()),
    paused_until = greatest(
        pace.paused_until, coalesce(%(now)s::timestamptz, clock_timestamp()) + make_interval(secs => %(pause_s)s)
    ),
    asked_until = CASE WHEN %(asked)s THEN greatest(
        pace.asked_until, coalesce(%(now)s::timestamptz, clock_timestamp()) + make_interval(secs => %(pause_s)s)
    ) ELSE pace.asked_until END
FROM before
WHERE pace.provider = before.provider
RETURNING pace.paused_until, before.profile = 'normal' AS fresh;
