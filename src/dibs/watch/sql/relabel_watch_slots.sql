UPDATE watch_slot
SET group_key = label.group_key
FROM jsonb_to_recordset(%(labels)s) AS label (slot_key text, group_key text)
WHERE watch_slot.watch_key = %(watch_key)s AND watch_slot.slot_key = label.slot_key;
