INSERT INTO notification (kind, subscription_id, channel, fanout_status, created_at, expires_at, due_at)
SELECT 'verification', subscription_id, channel, 'pending', %(now)s,
       %(now)s + make_interval(secs => %(expire_after_s)s), %(now)s
FROM subscription
WHERE subscription_id = %(subscription_id)s
  -- One that could not be sent yet is not joined by a second.
  AND NOT EXISTS (
      SELECT
      FROM notification AS waiting
      WHERE waiting.subscription_id = subscription.subscription_id
        AND waiting.kind = 'verification'
        AND waiting.fanout_status = 'pending')
RETURNING pg_notify('dibs_notice', '');
