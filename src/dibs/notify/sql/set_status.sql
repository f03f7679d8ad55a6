UPDATE subscription
SET status = %(status)s,
    reason = %(reason)s,
    failing_since = CASE WHEN %(status)s IN ('pending', 'active') THEN NULL ELSE failing_since END,
    updated_at = %(now)s
WHERE subscription_id = %(subscription_id)s;
