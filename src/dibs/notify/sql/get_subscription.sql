SELECT subscription_id, topic, channel, address, locale, status, reason, window_start, window_end, window_timezone,
       max_notifications, snooze_until, notices_sent, failing_since, verified_at, created_at, updated_at,
       manage_token_hash, webhook_secret,
       (SELECT event.at
        FROM subscription_event AS event
        WHERE event.subscription_id = subscription.subscription_id AND event.kind = 'notify_sent'
        ORDER BY event.subscription_event_id DESC
        LIMIT 1) AS last_sent_at
FROM subscription
WHERE subscription_id = %(subscription_id)s;
