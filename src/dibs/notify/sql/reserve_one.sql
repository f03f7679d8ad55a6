UPDATE subscription
SET notices_reserved = notices_reserved + 1
WHERE subscription_id = %(subscription_id)s
  AND max_notifications IS NOT NULL
  AND notices_reserved < max_notifications;
