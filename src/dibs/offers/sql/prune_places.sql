WITH over AS (
    SELECT place_id
    FROM line_place
    WHERE ended_at IS NOT NULL
      AND greatest(ended_at, until) < %(before)s
      AND NOT EXISTS (SELECT FROM offer WHERE offer.place_id = line_place.place_id AND offer.status = 'live')
    ORDER BY greatest(ended_at, until)
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
),
offers AS (
    DELETE FROM offer USING over WHERE offer.place_id = over.place_id
)
DELETE FROM line_place USING over WHERE line_place.place_id = over.place_id;
