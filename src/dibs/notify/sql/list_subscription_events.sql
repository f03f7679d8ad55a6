SELECT subscription_event_id, subscription_id, kind, at, detail
FROM subscription_event
WHERE subscription_id = %(subscription_id)s
  AND (%(before)s::bigint IS NULL OR subscription_event_id < %(before)s)
ORDER BY subscription_event_id DESC
LIMIT %(limit)s;
