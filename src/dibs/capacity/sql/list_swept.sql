SELECT hold_id, restaurant_id, booking_id, zone_id, table_ids, held_by, status, ended_at
FROM table_holds
WHERE hold_id = ANY (%(hold_ids)s::uuid[])
ORDER BY hold_id;
