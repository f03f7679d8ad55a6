-- The points come in order of preference: the bounds' centre, then the user's location.
WITH asked AS (
    SELECT rank, ll_to_earth(lat, lng) AS here
    FROM unnest(%(lats)s::float8[], %(lngs)s::float8[]) WITH ORDINALITY AS point (lat, lng, rank)
),
within_reach AS (
    SELECT asked.rank, community.location_key, earth_distance(community.position, asked.here) AS metres
    FROM asked
    JOIN community ON community.active AND earth_box(asked.here, %(metres)s) @> community.position
)
SELECT location_key, rank::integer AS rank
FROM within_reach
WHERE metres <= %(metres)s
ORDER BY rank, metres, location_key
LIMIT 1;
