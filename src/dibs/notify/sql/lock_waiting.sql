-- Waits for whoever claims or settles one of them at this moment.
SELECT notification_id
FROM notification
WHERE subscription_id = %(subscription_id)s AND fanout_status = 'pending' AND kind = 'opening'
ORDER BY notification_id
FOR UPDATE;
