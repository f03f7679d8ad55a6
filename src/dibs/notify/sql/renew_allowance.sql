-- A new allowance starts with the places that are taken by what is already on its way.
UPDATE subscription
SET notices_sent = 0,
    notices_reserved = (SELECT count(*)
                        FROM notification
                        WHERE notification.subscription_id = subscription.subscription_id
                          AND notification.fanout_status = 'pending'
                          AND notification.reserved)
WHERE subscription_id = %(subscription_id)s;
