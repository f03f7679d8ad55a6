SELECT open_event_id, provider, watch_key, slot_id, slot_key, group_key, subject, item_id,
       NULL::bigint AS subscription_id, status_before, status_after, seat_delta, event_at, detected_by, snapshot_id,
       dedupe_key, trace_id, payload, topics, still_open, closed_at, generation, reason, private
FROM open_event_seen
WHERE event_at >= %(since)s
  AND (%(before_at)s::timestamptz IS NULL
       OR (event_at, open_event_id) < (%(before_at)s::timestamptz, %(before_id)s::bigint))
  AND (%(status)s::text IS NULL OR status_after = %(status)s)
  AND (%(provider)s::text IS NULL OR provider = %(provider)s)
  AND (%(watch)s::text IS NULL OR watch_key = %(watch)s)
  AND (%(group)s::text IS NULL OR group_key = %(group)s)
  AND NOT private
  AND (NOT %(still_open)s::boolean OR still_open)
ORDER BY event_at DESC, open_event_id DESC
LIMIT %(limit)s;
