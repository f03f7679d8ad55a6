-- Slots that stand under the name of a watch that goes stand under one that still sees them.
UPDATE slot
SET watch_key = heir.watch_key
FROM unnest(%(slot_ids)s::text[], %(heirs)s::text[]) AS heir (slot_id, watch_key)
WHERE slot.slot_id = heir.slot_id AND slot.watch_key = %(watch_key)s;
