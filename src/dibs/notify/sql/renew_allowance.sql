-- A new allowance starts with what is already on its way.
UPDATE subscription
SET notices_sent = 0,
    notices_reserved = (SELECT count(*)
                        FROM notification
                        WHERE notification.subscription_id = subscription.subscription_id
                          AND notification.fanout_status = 'pending'
                          AND notification.kind = 'opening')
WHERE subscription_id = %(subscription_id)s;
