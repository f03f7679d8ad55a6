SELECT offer.offer_id, offer.place_id, offer.restaurant_id, restaurants.slug AS restaurant,
       restaurants.name AS restaurant_name, restaurants.timezone, offer.hold_id, offer.slot_id, offer.table_numbers,
       offer.party_size, offer.start_at, offer.end_at, offer.service_date, offer.status, offer.offered_at,
       offer.expires_at, offer.ended_at, offer.booking_id, offer.open_event_id, place.topic,
       place.status AS place_status, place.lapses, place.guest
FROM offer
JOIN restaurants USING (restaurant_id)
JOIN line_place AS place USING (place_id)
WHERE offer.open_event_id = %(open_event_id)s
ORDER BY offer.offered_at;
