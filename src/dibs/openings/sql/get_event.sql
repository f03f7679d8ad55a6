SELECT open_event_id, provider, watch_key, slot_id, slot_key, group_key, subject, item_id, status_before,
       status_after, seat_delta, event_at, detected_by, snapshot_id, dedupe_key, trace_id, payload, topics,
       still_open, closed_at, generation, reason, private
FROM open_event_seen
WHERE open_event_id = %(open_event_id)s;
