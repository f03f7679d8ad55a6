SELECT slot.slot_key
FROM slot
WHERE slot.watch_key = %(watch_key)s AND slot.open;
