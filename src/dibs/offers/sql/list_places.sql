WITH wanted AS (
    SELECT place.*, restaurants.slug, restaurants.name AS restaurant_name
    FROM line_place AS place
    LEFT JOIN restaurants USING (restaurant_id)
    WHERE (%(place_id)s::bigint IS NULL OR place.place_id = %(place_id)s)
      AND (%(restaurant)s::text IS NULL OR restaurants.slug = %(restaurant)s)
      AND (%(product)s::text IS NULL OR place.product_key = %(product)s)
      AND (%(day)s::date IS NULL
           OR place.service_date = %(day)s
           OR %(day)s BETWEEN place.earliest_date AND place.latest_date)
      AND (NOT %(live)s::boolean OR place.status IN ('waiting', 'offered'))
),
line AS (
    SELECT place_id, row_number() OVER (PARTITION BY line_key ORDER BY rank, place_id) AS position
    FROM line_place
    WHERE status IN ('waiting', 'offered')
      AND line_key IN (SELECT line_key FROM wanted)
)
SELECT place.place_id,
       place.line_key,
       place.slug AS restaurant,
       place.product_key AS product,
       coalesce(place.restaurant_name, product.name, place.product_key) AS name,
       place.party_size,
       place.quantity,
       place.earliest,
       place.latest,
       place.service_date,
       place.earliest_date,
       place.latest_date,
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
       offered.offer_id,
       offered.start_at AS offer_start_at,
       offered.service_date AS offer_date,
       offered.expires_at AS offer_expires_at,
       offered.booking_id
FROM wanted AS place
LEFT JOIN product ON product.product_no = place.product_no
LEFT JOIN line USING (place_id)
LEFT JOIN LATERAL (
    SELECT offer_id, start_at, service_date, expires_at, booking_id
    FROM offer
    WHERE offer.place_id = place.place_id AND offer.status IN ('live', 'claimed')
    ORDER BY offered_at DESC
    LIMIT 1
) AS offered ON true
WHERE (%(after)s::bigint IS NULL
       OR (coalesce(place.service_date, '-infinity'), place.line_key, place.rank, place.place_id)
          > (SELECT coalesce(service_date, '-infinity'), line_key, rank, place_id
             FROM line_place WHERE place_id = %(after)s))
ORDER BY coalesce(place.service_date, '-infinity'), place.line_key, place.rank, place.place_id
LIMIT %(limit)s;
