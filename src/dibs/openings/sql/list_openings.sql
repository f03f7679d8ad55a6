-- The feed's own question, asked most of all: what opened and is still to be had. Events whose slot has moved on
-- are read by list_events, through the view.
SELECT event.open_event_id, event.provider, event.watch_key, event.slot_id, event.slot_key, event.group_key,
       event.subject, event.item_id, NULL::bigint AS subscription_id, event.status_before, event.status_after,
       event.seat_delta, event.event_at, event.detected_by, event.snapshot_id, event.dedupe_key, event.trace_id,
       event.payload, event.topics, true AS still_open, NULL::timestamptz AS closed_at, event.generation, event.reason,
       event.private
FROM open_event AS event
JOIN slot ON slot.slot_id = event.slot_id AND slot.open AND slot.last_event_id = event.open_event_id
WHERE event.status_after = 'Open'
  AND NOT event.private
  AND event.event_at >= %(since)s
  AND (%(before_at)s::timestamptz IS NULL
       OR (event.event_at, event.open_event_id) < (%(before_at)s::timestamptz, %(before_id)s::bigint))
  AND (%(provider)s::text IS NULL OR event.provider = %(provider)s)
  AND (%(watch)s::text IS NULL OR event.watch_key = %(watch)s)
  AND (%(group)s::text IS NULL OR event.group_key = %(group)s)
ORDER BY event.event_at DESC, event.open_event_id DESC
LIMIT %(limit)s;
