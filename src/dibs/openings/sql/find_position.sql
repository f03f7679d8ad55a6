-- Where a reader stands who has seen this event. If it was pruned: before everything younger. Without one: at the
-- end of what is final.
WITH seen AS (
    SELECT recorded_xid::text::bigint AS xid, open_event_id
    FROM open_event
    WHERE open_event_id = %(open_event_id)s::bigint
),
younger AS (
    SELECT recorded_xid::text::bigint - 1 AS xid, 9223372036854775807 AS open_event_id
    FROM open_event
    WHERE open_event_id > %(open_event_id)s::bigint
    ORDER BY open_event_id
    LIMIT 1
),
final AS (
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1 AS xid, 9223372036854775807 AS open_event_id
)
SELECT xid, open_event_id
FROM (
    SELECT 1 AS choice, * FROM seen
    UNION ALL SELECT 2, * FROM younger
    UNION ALL SELECT 3, * FROM final
) AS position
ORDER BY choice
LIMIT 1;
