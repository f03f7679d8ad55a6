-- The newest notices only: there are many, and people look at now.
WITH newest AS (
    SELECT open_event_id, fanout_status, finished_at
    FROM notification
    WHERE kind = 'opening'
    ORDER BY notification_id DESC
    LIMIT %(most)s
),
sent AS (
    SELECT date_bin('5 minutes', newest.finished_at, 'epoch') AS at,
           greatest(0, extract(epoch FROM newest.finished_at - event.event_at))::float8 AS seconds
    FROM newest
    JOIN open_event AS event USING (open_event_id)
    WHERE newest.fanout_status = 'sent'
      AND newest.finished_at >= %(since)s
)
-- One row per five minutes, and one without a time for all of them.
SELECT at,
       count(*)::int AS sent,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median_s,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) AS p95_s
FROM sent
GROUP BY GROUPING SETS ((at), ())
HAVING count(*) > 0
ORDER BY at NULLS FIRST;
