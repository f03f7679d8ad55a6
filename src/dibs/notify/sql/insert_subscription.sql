INSERT INTO subscription (topic, channel, address, address_key, locale, status, window_start, window_end,
                          window_timezone, max_notifications, snooze_until, manage_token_hash, webhook_secret,
                          created_at, updated_at)
VALUES (%(topic)s, %(channel)s, %(address)s, %(address_key)s, %(locale)s, 'pending', %(window_start)s, %(window_end)s,
        %(window_timezone)s, %(max_notifications)s, %(snooze_until)s, %(manage_token_hash)s, %(webhook_secret)s,
        %(now)s, %(now)s)
ON CONFLICT (topic, channel, address_key) WHERE status <> 'unsubscribed' DO NOTHING
RETURNING subscription_id, status, verified_at IS NOT NULL AS verified;
