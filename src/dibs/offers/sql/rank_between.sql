-- The rank that puts a place at the given position of its line, between its new neighbours.
WITH moved AS (
    SELECT line_key FROM line_place WHERE place_id = %(place_id)s
),
others AS (
    SELECT place.rank, row_number() OVER (ORDER BY place.rank, place.place_id) AS position
    FROM line_place AS place, moved
    WHERE place.line_key = moved.line_key
      AND place.status IN ('waiting', 'offered')
      AND place.place_id <> %(place_id)s
),
neighbours AS (
    SELECT max(rank) FILTER (WHERE position < %(position)s) AS before,
           min(rank) FILTER (WHERE position >= %(position)s) AS after
    FROM others
)
SELECT CASE
           WHEN before IS NULL AND after IS NULL THEN nextval('line_rank')::double precision
           WHEN before IS NULL THEN after - 1
           WHEN after IS NULL THEN before + 0.5
           ELSE (before + after) / 2
       END
FROM neighbours;
