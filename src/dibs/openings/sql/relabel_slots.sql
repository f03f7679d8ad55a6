-- What slots are called; whether they are open is not touched.
UPDATE slot
SET group_key = label.group_key,
    payload = label.payload
FROM jsonb_to_recordset(%(labels)s) AS label (slot_id text, group_key text, payload jsonb)
WHERE slot.slot_id = label.slot_id;
