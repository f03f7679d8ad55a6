UPDATE slot SET distrust_until = %(until)s WHERE slot_id = ANY (%(slot_ids)s);
