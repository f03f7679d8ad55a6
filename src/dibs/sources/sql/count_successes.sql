-- Successes in a row bring the provider back to its normal pace.
UPDATE provider_pace
SET successes = successes + %(count)s,
    profile = CASE WHEN successes + %(count)s >= %(recover_after)s THEN 'normal' ELSE profile END,
    reason = CASE WHEN successes + %(count)s >= %(recover_after)s THEN '' ELSE reason END,
    paused_until = CASE WHEN successes + %(count)s >= %(recover_after)s THEN NULL ELSE paused_until END,
    changed_at = coalesce(%(now)s::timestamptz, clock_timestamp())
WHERE provider = %(provider)s AND profile = 'degraded'
RETURNING profile;
