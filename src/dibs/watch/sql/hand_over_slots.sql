-- Slots that are kept under the name of a watch that goes are kept under one that still sees them.
UPDATE slot
SET watch_key = heir.watch_key
FROM (SELECT other.slot_id, min(other.watch_key) AS watch_key
      FROM watch_slot AS own
      JOIN watch_slot AS other ON other.slot_id = own.slot_id AND other.watch_key <> own.watch_key
      WHERE own.watch_key = %(watch_key)s AND NOT other.quiet AND NOT other.elsewhere
      GROUP BY other.slot_id) AS heir
WHERE slot.slot_id = heir.slot_id AND slot.watch_key = %(watch_key)s;
