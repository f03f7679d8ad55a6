SELECT seen.open_event_id, seen.provider, seen.watch_key, seen.slot_id, seen.slot_key, seen.group_key, seen.subject,
       seen.item_id, seen.status_before, seen.status_after, seen.seat_delta, seen.event_at, seen.detected_by,
       seen.snapshot_id, seen.dedupe_key, seen.trace_id, seen.payload, seen.topics, seen.still_open, seen.closed_at,
       seen.generation, seen.reason, seen.private,
       -- A slot that closed and came back under the same event is to be had. One that came back as a new event
       -- has new notices; the old ones are void. A later event without a close in between told nobody twice.
       coalesce(slot.open, true) AND NOT EXISTS (
           SELECT
           FROM open_event AS closed
           WHERE closed.slot_id = seen.slot_id
             AND closed.status_after = 'Closed'
             AND closed.open_event_id > seen.open_event_id
             AND closed.open_event_id < slot.last_event_id) AS available
FROM open_event_seen AS seen
LEFT JOIN slot ON slot.slot_id = seen.slot_id
WHERE seen.open_event_id = ANY (%(open_event_ids)s::bigint[]);
