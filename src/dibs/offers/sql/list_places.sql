WITH line AS (
    SELECT place_id,
           row_number() OVER (PARTITION BY restaurant_id, service_date ORDER BY rank, place_id) AS position
    FROM line_place
    WHERE status IN ('waiting', 'offered')
      AND (restaurant_id, service_date) IN (
          SELECT place.restaurant_id, place.service_date
          FROM line_place AS place
          JOIN restaurants USING (restaurant_id)
          WHERE (%(place_id)s::bigint IS NULL OR place.place_id = %(place_id)s)
            AND (%(restaurant)s::text IS NULL OR restaurants.slug = %(restaurant)s)
            AND (%(service_date)s::date IS NULL OR place.service_date = %(service_date)s)
            AND place.status IN ('waiting', 'offered'))
)
SELECT place.place_id,
       restaurants.slug AS restaurant,
       place.party_size,
       place.earliest,
       place.latest,
       place.service_date,
       place.status,
       place.reason,
       line.position,
       line.position - 1 AS ahead,
       place.lapses,
       place.passed,
       coalesce(place.passed >= %(max_passed)s
                AND place.first_since + make_interval(secs => %(first_for_s)s) > %(now)s, false) AS comes_first,
       place.joined_at,
       place.ended_at,
       place.subscription_id,
       latest.offer_id,
       latest.start_at AS offer_start_at,
       latest.expires_at AS offer_expires_at,
       latest.booking_id
FROM line_place AS place
JOIN restaurants USING (restaurant_id)
LEFT JOIN line USING (place_id)
LEFT JOIN LATERAL (
    SELECT offer_id, start_at, expires_at, booking_id
    FROM offer
    WHERE offer.place_id = place.place_id AND offer.status IN ('live', 'claimed')
    ORDER BY offered_at DESC
    LIMIT 1
) AS latest ON true
WHERE (%(place_id)s::bigint IS NULL OR place.place_id = %(place_id)s)
  AND (%(restaurant)s::text IS NULL OR restaurants.slug = %(restaurant)s)
  AND (%(service_date)s::date IS NULL OR place.service_date = %(service_date)s)
  AND (NOT %(live)s::boolean OR place.status IN ('waiting', 'offered'))
  AND (%(after)s::bigint IS NULL
       OR (place.service_date, place.rank, place.place_id)
          > (SELECT service_date, rank, place_id FROM line_place WHERE place_id = %(after)s))
ORDER BY place.service_date, place.rank, place.place_id
LIMIT %(limit)s;
