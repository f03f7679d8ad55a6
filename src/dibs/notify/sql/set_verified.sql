UPDATE subscription
SET verified_at = %(now)s,
    status = CASE WHEN status = 'pending' THEN 'active' ELSE status END,
    updated_at = %(now)s
WHERE subscription_id = %(subscription_id)s AND verified_at IS NULL
RETURNING status;
