-- What is null stays. A change is looked at soon, and with fresh eyes.
UPDATE watch
SET policy = coalesce(%(policy)s::jsonb, policy),
    cadence = coalesce(%(cadence)s::jsonb, cadence),
    paused = coalesce(%(paused)s::boolean, paused),
    due_at = CASE WHEN %(policy)s::jsonb IS NULL AND %(cadence)s::jsonb IS NULL AND NOT (paused AND %(paused)s::boolean IS FALSE)
                  THEN due_at ELSE least(due_at, %(at)s) END,
    source_hash = CASE WHEN %(policy)s::jsonb IS NULL THEN source_hash END
WHERE watch_key = %(watch_key)s
RETURNING pg_notify('dibs_watch', '');
