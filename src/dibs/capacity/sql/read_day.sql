-- Everything that is taken between two moments, in one row, with the version of the floor it was read with. Claims of
-- one window stand together: parties start at quarter hours, so there are far fewer windows than claims. Texts with
-- commas are half the work of JSON on both sides.
-- No claim is longer than half a day (allocations_bounded), so no older one can reach into the window.
SELECT restaurant.floor_version AS version,
       claims.tables,
       claims.starts,
       claims.ends
FROM restaurants AS restaurant
CROSS JOIN LATERAL (
    SELECT string_agg(together.tables, ';') AS tables,
           string_agg(date_part('epoch', lower(together.blocked))::text, ';') AS starts,
           string_agg(date_part('epoch', upper(together.blocked))::text, ';') AS ends
    FROM (
        SELECT claim.blocked, string_agg(claim.table_id::text, ',') AS tables
        FROM allocations AS claim
        WHERE claim.restaurant_id = restaurant.restaurant_id
          AND lower(claim.blocked) > %(start_at)s - interval '12 hours'
          AND lower(claim.blocked) < %(end_at)s
          AND upper(claim.blocked) > %(start_at)s
          AND (claim.lapses_at IS NULL OR claim.lapses_at > coalesce(%(now)s, clock_timestamp()))
        GROUP BY claim.blocked
    ) AS together
) AS claims
WHERE restaurant.restaurant_id = %(restaurant_id)s;
