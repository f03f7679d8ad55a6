-- Who is told, about what, how. Rows are never deleted: an unsubscribed one keeps its history.
CREATE TABLE subscription (
    subscription_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic             text NOT NULL CHECK (topic <> ''),
    channel           text NOT NULL CHECK (channel IN ('email', 'webhook', 'apprise')),
    address           text NOT NULL CHECK (address <> ''),
    address_key       text NOT NULL,
    locale            text NOT NULL,
    status            text NOT NULL
        CHECK (status IN ('pending', 'active', 'paused', 'suppressed', 'unsubscribed')),
    reason            text,
    window_start      time,
    window_end        time,
    window_timezone   text,
    max_notifications integer CHECK (max_notifications >= 1),
    snooze_until      timestamptz,
    -- Of the present allowance: what was sent, and what was sent or is on its way. The second is what keeps a
    -- cap when many slots open at once; it is counted for capped subscriptions only.
    notices_sent      integer NOT NULL DEFAULT 0 CHECK (notices_sent >= 0),
    notices_reserved  integer NOT NULL DEFAULT 0 CHECK (notices_reserved >= 0),
    failing_since     timestamptz,
    verified_at       timestamptz,
    manage_token_hash bytea NOT NULL UNIQUE,
    webhook_secret    text,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    CHECK ((window_start IS NULL) = (window_end IS NULL) AND (window_start IS NULL) = (window_timezone IS NULL)),
    CHECK ((channel = 'webhook') = (webhook_secret IS NOT NULL))
);
-- One live subscription per topic, channel and address.
CREATE UNIQUE INDEX subscription_live ON subscription (topic, channel, address_key) WHERE status <> 'unsubscribed';
-- What fan-out looks for.
CREATE INDEX subscription_told ON subscription (topic) WHERE status IN ('pending', 'active');

CREATE TABLE subscription_event (
    subscription_event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription_id       bigint NOT NULL,
    kind                  text NOT NULL CHECK (kind IN (
        'created', 'verification_sent', 'verified', 'status_changed', 'preferences_changed',
        'notify_sent', 'notify_failed', 'unsubscribed')),
    at                    timestamptz NOT NULL,
    detail                jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX subscription_event_history ON subscription_event (subscription_id, subscription_event_id);

-- Who asked for what lately without a token; rows live for minutes.
CREATE TABLE subscription_request (
    client       text NOT NULL,
    requested_at timestamptz NOT NULL
);
CREATE INDEX subscription_request_recent ON subscription_request (client, requested_at);

-- One notice: one event for one subscription. No foreign keys: fan-out writes a hundred thousand of these at
-- once from the very rows they would point at, subscriptions are never deleted, and events leave together
-- with their notices.
CREATE TABLE notification (
    notification_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind               text NOT NULL CHECK (kind IN ('opening', 'verification')),
    open_event_id      bigint,
    subscription_id    bigint NOT NULL,
    -- The subscription's; here, because each channel claims for itself as much as it has room for.
    channel            text NOT NULL CHECK (channel IN ('email', 'webhook', 'apprise')),
    fanout_status      text NOT NULL CHECK (fanout_status IN ('pending', 'sent', 'skipped', 'failed', 'expired')),
    fanout_attempts    integer NOT NULL DEFAULT 0 CHECK (fanout_attempts >= 0),
    reason             text,
    error              text,
    created_at         timestamptz NOT NULL,
    expires_at         timestamptz NOT NULL,
    last_attempt_at    timestamptz,
    finished_at        timestamptz,
    due_at             timestamptz,
    -- Committed before a send begins, cleared with its outcome: left standing, the notice may have been sent.
    lease_token        uuid,
    lease_until        timestamptz,
    leased_by          text,
    UNIQUE (open_event_id, subscription_id),
    CHECK ((kind = 'opening') = (open_event_id IS NOT NULL)),
    CHECK ((fanout_status = 'pending') = (due_at IS NOT NULL)),
    CHECK ((fanout_status = 'pending') = (finished_at IS NULL)),
    CHECK (fanout_status IN ('pending', 'sent') OR reason IS NOT NULL)
) WITH (fillfactor = 80);
CREATE INDEX notification_due ON notification (channel, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notification_by_subscription ON notification (subscription_id, notification_id);
CREATE INDEX notification_unsent ON notification (fanout_status, notification_id)
    WHERE fanout_status IN ('skipped', 'failed', 'expired');

-- Every opening is to be fanned out once; filled by the event itself, so no opening can be forgotten.
CREATE TABLE fanout (
    open_event_id bigint PRIMARY KEY REFERENCES open_event ON DELETE CASCADE,
    due_at        timestamptz,
    lease_token   uuid,
    lease_until   timestamptz,
    leased_by     text,
    finished_at   timestamptz,
    pending       integer NOT NULL DEFAULT 0,
    skipped       integer NOT NULL DEFAULT 0,
    CHECK (due_at IS NULL OR finished_at IS NULL)
);
CREATE INDEX fanout_due ON fanout (due_at) WHERE due_at IS NOT NULL;

CREATE FUNCTION fan_out_openings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The earlier of the two clocks: whoever claims by either finds it due.
    INSERT INTO fanout (open_event_id, due_at)
    SELECT open_event_id, least(event_at, now()) FROM recorded WHERE status_after = 'Open';
    RETURN NULL;
END
$$;
CREATE TRIGGER fan_out_openings AFTER INSERT ON open_event
    REFERENCING NEW TABLE AS recorded
    FOR EACH STATEMENT EXECUTE FUNCTION fan_out_openings();
