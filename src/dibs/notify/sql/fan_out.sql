WITH clock AS (
    SELECT coalesce(%(now)s::timestamptz, now()) AS at
),
event AS (
    SELECT event.open_event_id,
           event.event_at,
           event.topics,
           -- The openings of this slot since it was last closed: whoever was told by one of them knows already.
           (SELECT array_agg(earlier.open_event_id)
            FROM open_event AS earlier
            WHERE earlier.slot_id = event.slot_id
              AND earlier.status_after = 'Open'
              AND earlier.open_event_id < event.open_event_id
              AND earlier.open_event_id > coalesce((
                  SELECT max(closed.open_event_id)
                  FROM open_event AS closed
                  WHERE closed.slot_id = event.slot_id
                    AND closed.status_after = 'Closed'
                    AND closed.open_event_id < event.open_event_id), 0)) AS told_by
    FROM open_event AS event
    WHERE event.open_event_id = ANY (%(open_event_ids)s::bigint[])
),
matched AS (
    SELECT event.open_event_id,
           event.event_at,
           subscription.subscription_id,
           subscription.channel,
           subscription.max_notifications IS NOT NULL AS capped,
           subscription.snooze_until > clock.at AS snoozed
    FROM event
    CROSS JOIN clock
    CROSS JOIN LATERAL (SELECT DISTINCT topic FROM unnest(event.topics) AS topic) AS about
    JOIN subscription ON subscription.topic = about.topic AND subscription.status IN ('pending', 'active')
    WHERE NOT (%(verify_email)s AND subscription.channel = 'email' AND subscription.verified_at IS NULL)
      AND (event.told_by IS NULL OR NOT EXISTS (
          SELECT FROM notification AS told
          WHERE told.open_event_id = ANY (event.told_by)
            AND told.subscription_id = subscription.subscription_id
            AND told.fanout_status IN ('sent', 'pending')))
),
-- Locked, in one order for all workers: two events at once share what is left of a cap.
allowance AS (
    SELECT subscription_id, max_notifications - notices_reserved AS room
    FROM subscription
    WHERE subscription_id IN (SELECT subscription_id FROM matched WHERE capped)
    ORDER BY subscription_id
    FOR NO KEY UPDATE
),
turn AS (
    SELECT open_event_id,
           subscription_id,
           row_number() OVER (PARTITION BY subscription_id ORDER BY open_event_id) AS place
    FROM matched
    WHERE capped AND snoozed IS NOT TRUE
),
judged AS (
    SELECT matched.open_event_id,
           matched.event_at,
           matched.subscription_id,
           matched.channel,
           matched.capped,
           CASE
               WHEN matched.snoozed THEN 'snoozed'
               WHEN matched.capped AND turn.place > allowance.room THEN 'capped'
           END AS reason
    FROM matched
    LEFT JOIN turn USING (open_event_id, subscription_id)
    LEFT JOIN allowance USING (subscription_id)
),
noticed AS (
    INSERT INTO notification (kind, open_event_id, subscription_id, channel, fanout_status, reason, created_at,
                              expires_at, due_at, finished_at, reserved)
    SELECT 'opening',
           judged.open_event_id,
           judged.subscription_id,
           judged.channel,
           CASE WHEN judged.reason IS NULL THEN 'pending' ELSE 'skipped' END,
           judged.reason,
           clock.at,
           judged.event_at + make_interval(secs => %(expire_after_s)s),
           CASE WHEN judged.reason IS NULL THEN clock.at END,
           CASE WHEN judged.reason IS NOT NULL THEN clock.at END,
           judged.capped AND judged.reason IS NULL
    FROM judged, clock
    ON CONFLICT (open_event_id, subscription_id) DO NOTHING
    RETURNING open_event_id, subscription_id, fanout_status
),
reserved AS (
    UPDATE subscription
    SET notices_reserved = notices_reserved + taken.count
    FROM (SELECT noticed.subscription_id, count(*) AS count
          FROM noticed
          JOIN allowance USING (subscription_id)
          WHERE noticed.fanout_status = 'pending'
          GROUP BY noticed.subscription_id) AS taken
    WHERE subscription.subscription_id = taken.subscription_id
),
counted AS (
    SELECT open_event_id,
           count(*) FILTER (WHERE fanout_status = 'pending') AS pending,
           count(*) FILTER (WHERE fanout_status = 'skipped') AS skipped
    FROM noticed
    GROUP BY open_event_id
),
finished AS (
    UPDATE fanout
    SET finished_at = clock.at,
        pending = coalesce(counted.pending, 0),
        skipped = coalesce(counted.skipped, 0)
    FROM clock, event
    LEFT JOIN counted USING (open_event_id)
    WHERE fanout.open_event_id = event.open_event_id
    RETURNING fanout.open_event_id, fanout.pending, fanout.skipped
)
SELECT finished.open_event_id, finished.pending, finished.skipped
FROM finished, LATERAL (SELECT pg_notify('dibs_notice', '')) AS rung;
