SELECT hold_id, restaurant_id, zone_id, booking_id, table_ids, party_size, lower(blocked) AS start_at,
       upper(blocked) AS end_at, service_date,
       CASE WHEN status = 'held' AND expires_at <= coalesce(%(now)s::timestamptz, clock_timestamp())
            THEN 'expired' ELSE status END AS status,
       expires_at, held_by, created_at
FROM table_holds
WHERE hold_id = %(hold_id)s;
