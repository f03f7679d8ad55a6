INSERT INTO notification (kind, subscription_id, channel, fanout_status, created_at, expires_at, due_at)
SELECT 'verification', subscription_id, channel, 'pending', %(now)s,
       %(now)s + make_interval(secs => %(expire_after_s)s), %(now)s
FROM subscription
WHERE subscription_id = %(subscription_id)s
RETURNING pg_notify('dibs_notice', '');
