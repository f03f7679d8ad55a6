WITH clock AS (
    SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS at
),
outcome AS (
    SELECT given.key::bigint AS notification_id, outcome.*
    FROM jsonb_each(%(outcomes)s) AS given,
    LATERAL jsonb_to_record(given.value) AS outcome (
        status text, reason text, error text, due_at timestamptz, expires_at timestamptz, attempted boolean,
        suppress boolean, blames_address boolean)
),
-- The fence: whoever lost the lease writes nothing.
settled AS (
    UPDATE notification
    SET fanout_status = outcome.status,
        reason = outcome.reason,
        -- What is given up unsent keeps what its last attempt met.
        error = CASE WHEN outcome.attempted THEN outcome.error ELSE coalesce(outcome.error, notification.error) END,
        due_at = outcome.due_at,
        expires_at = coalesce(outcome.expires_at, notification.expires_at),
        fanout_attempts = notification.fanout_attempts + outcome.attempted::integer,
        last_attempt_at = CASE WHEN outcome.attempted THEN clock.at ELSE notification.last_attempt_at END,
        finished_at = CASE WHEN outcome.status <> 'pending' THEN clock.at END,
        lease_token = NULL,
        lease_until = NULL,
        leased_by = NULL
    FROM outcome, clock
    WHERE notification.notification_id = outcome.notification_id
      AND notification.lease_token = %(token)s
    RETURNING notification.notification_id, notification.kind, notification.open_event_id,
              notification.subscription_id, outcome.status, outcome.reason, outcome.error, outcome.attempted,
              outcome.suppress, outcome.blames_address AS blames, notification.reserved
),
history AS (
    INSERT INTO subscription_event (subscription_id, kind, at, detail)
    SELECT settled.subscription_id,
           CASE
               WHEN settled.status <> 'sent' THEN 'notify_failed'
               WHEN settled.kind = 'verification' THEN 'verification_sent'
               ELSE 'notify_sent'
           END,
           clock.at,
           CASE
               WHEN settled.status = 'sent' THEN jsonb_build_object(
                   'notification_id', settled.notification_id, 'open_event_id', settled.open_event_id,
                   'status', 'Open')
               ELSE jsonb_build_object(
                   'notification_id', settled.notification_id, 'open_event_id', settled.open_event_id,
                   'reason', settled.reason, 'error', settled.error)
           END
    FROM settled, clock
    WHERE settled.attempted AND settled.status <> 'pending'
),
per_subscription AS (
    SELECT subscription_id,
           count(*) FILTER (WHERE status = 'sent' AND kind = 'opening') AS sent,
           count(*) FILTER (WHERE status = 'sent' AND reserved) AS used,
           count(*) FILTER (WHERE status <> 'sent' AND reserved) AS released,
           bool_or(suppress) AS suppress,
           bool_or(blames) AND NOT bool_or(status = 'sent') AS failed,
           max(reason) FILTER (WHERE suppress) AS suppress_reason,
           max(error) FILTER (WHERE blames) AS error
    FROM settled
    WHERE status <> 'pending'
    GROUP BY subscription_id
),
-- Most sent notices change nothing about their subscription; only the others are locked, in one order.
affected AS (
    SELECT subscription.subscription_id, subscription.status, subscription.max_notifications,
           subscription.notices_sent, subscription.notices_reserved, subscription.failing_since,
           subscription.channel, subscription.verified_at,
           per_subscription.sent, per_subscription.used, per_subscription.released, per_subscription.suppress,
           per_subscription.failed, per_subscription.suppress_reason, per_subscription.error
    FROM subscription
    JOIN per_subscription USING (subscription_id)
    WHERE per_subscription.suppress
       OR per_subscription.failed
       OR per_subscription.used + per_subscription.released > 0
       OR (per_subscription.sent > 0
           AND (subscription.status = 'pending' OR subscription.failing_since IS NOT NULL))
    ORDER BY subscription.subscription_id
    FOR NO KEY UPDATE OF subscription
),
judged AS (
    SELECT affected.*,
           CASE
               WHEN status NOT IN ('pending', 'active') THEN status
               WHEN suppress THEN 'suppressed'
               WHEN failed AND failing_since <= clock.at - make_interval(secs => %(patience_s)s) THEN 'suppressed'
               WHEN notices_sent + used >= max_notifications THEN 'paused'
               WHEN status = 'pending' AND sent > 0
                   AND NOT (%(verify_email)s AND channel = 'email' AND verified_at IS NULL) THEN 'active'
               ELSE status
           END AS becomes
    FROM affected, clock
),
changed AS (
    UPDATE subscription
    SET status = judged.becomes,
        reason = CASE
            WHEN judged.becomes = subscription.status THEN subscription.reason
            WHEN judged.becomes = 'suppressed' THEN coalesce(judged.suppress_reason, 'failing')
            WHEN judged.becomes = 'paused' THEN 'max_notifications'
        END,
        notices_sent = CASE WHEN subscription.max_notifications IS NULL THEN subscription.notices_sent
                            ELSE subscription.notices_sent + judged.used END,
        notices_reserved = CASE WHEN subscription.max_notifications IS NULL THEN subscription.notices_reserved
                                ELSE greatest(subscription.notices_reserved - judged.released, 0) END,
        failing_since = CASE
            WHEN judged.sent > 0 THEN NULL
            WHEN judged.failed THEN coalesce(subscription.failing_since, clock.at)
            ELSE subscription.failing_since
        END,
        updated_at = clock.at
    FROM judged, clock
    WHERE subscription.subscription_id = judged.subscription_id
    RETURNING subscription.subscription_id, judged.status AS was, subscription.status, subscription.reason, judged.error
),
status_history AS (
    INSERT INTO subscription_event (subscription_id, kind, at, detail)
    SELECT changed.subscription_id,
           'status_changed',
           clock.at,
           jsonb_strip_nulls(jsonb_build_object(
               'from', changed.was, 'to', changed.status, 'reason', changed.reason, 'error', changed.error))
    FROM changed, clock
    WHERE changed.was <> changed.status
)
SELECT settled.notification_id, changed.status = 'suppressed' AND changed.was <> 'suppressed' AS suppressed
FROM settled
LEFT JOIN changed USING (subscription_id);
