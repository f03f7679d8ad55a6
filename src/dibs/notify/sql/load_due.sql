SELECT notification.notification_id,
       notification.kind,
       notification.open_event_id,
       notification.subscription_id,
       notification.fanout_attempts,
       notification.expires_at,
       notification.reserved,
       subscription.channel,
       subscription.address,
       subscription.locale,
       subscription.topic,
       subscription.status AS subscription_status,
       subscription.verified_at IS NOT NULL AS verified,
       subscription.window_start,
       subscription.window_end,
       subscription.window_timezone,
       subscription.max_notifications IS NOT NULL AS capped,
       subscription.snooze_until,
       subscription.manage_token_hash,
       subscription.webhook_secret
FROM notification
JOIN subscription USING (subscription_id)
WHERE notification.notification_id = ANY (%(notification_ids)s::bigint[]);
