-- Successes in a row bring the provider back to its normal pace. A pause lasts as long as it was said to: what was
-- under way when it began may still succeed.
UPDATE provider_pace
SET successes = successes + %(count)s,
    profile = CASE WHEN successes + %(count)s >= %(recover_after)s THEN 'normal' ELSE profile END,
    reason = CASE WHEN successes + %(count)s >= %(recover_after)s THEN '' ELSE reason END,
    changed_at = coalesce(%(now)s::timestamptz, clock_timestamp())
WHERE provider = %(provider)s AND profile = 'degraded'
RETURNING profile;
