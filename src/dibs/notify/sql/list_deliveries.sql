-- The newest notices first, then what they are about: the joins meet only the rows that are shown.
WITH shown AS (
    SELECT *
    FROM notification
    WHERE (%(status)s::text IS NULL OR fanout_status = %(status)s)
      AND (%(channel)s::text IS NULL OR channel = %(channel)s)
      AND (%(subscription_id)s::bigint IS NULL OR subscription_id = %(subscription_id)s)
      AND (%(open_event_id)s::bigint IS NULL OR open_event_id = %(open_event_id)s)
    ORDER BY notification_id DESC
    LIMIT %(limit)s
)
SELECT shown.notification_id,
       shown.kind,
       shown.open_event_id,
       shown.subscription_id,
       shown.channel,
       subscription.address,
       subscription.topic,
       coalesce(event.payload ->> 'title', event.slot_key, '') AS title,
       event.event_at,
       shown.fanout_status,
       shown.fanout_attempts,
       shown.created_at,
       shown.finished_at,
       shown.due_at AS next_attempt_at,
       shown.leased_by AS locked_by,
       shown.error,
       shown.reason
FROM shown
JOIN subscription USING (subscription_id)
LEFT JOIN open_event AS event USING (open_event_id)
ORDER BY shown.notification_id DESC;
