SELECT subscription_id, status, verified_at IS NOT NULL AS verified
FROM subscription
WHERE topic = %(topic)s AND channel = %(channel)s AND address_key = %(address_key)s AND status <> 'unsubscribed';
