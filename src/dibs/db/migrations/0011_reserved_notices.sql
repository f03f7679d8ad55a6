-- A notice that holds a place of its subscription's cap says so itself: the place is taken once, under the lock of
-- the subscription, and given back once, whenever the cap was set.
ALTER TABLE notification ADD COLUMN reserved boolean NOT NULL DEFAULT false;
UPDATE notification
SET reserved = true
FROM subscription
WHERE notification.subscription_id = subscription.subscription_id
  AND subscription.max_notifications IS NOT NULL
  AND notification.kind = 'opening'
  AND notification.fanout_status = 'pending';
