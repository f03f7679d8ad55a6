SELECT * FROM offer_with_place WHERE open_event_id = %(open_event_id)s ORDER BY offered_at;
