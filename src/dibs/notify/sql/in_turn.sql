-- Openings of one slot are fanned out in their order, so that the later one knows who was told by the earlier.
SELECT event.open_event_id
FROM open_event AS event
WHERE event.open_event_id = ANY (%(open_event_ids)s::bigint[])
  AND NOT EXISTS (
      SELECT
      FROM open_event AS earlier
      JOIN fanout ON fanout.open_event_id = earlier.open_event_id
      WHERE earlier.slot_id = event.slot_id
        AND earlier.open_event_id < event.open_event_id
        AND fanout.finished_at IS NULL);
