-- Who may call: only a hash of each token is stored.
CREATE TABLE access_token (
    token_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         text NOT NULL CHECK (name <> ''),
    scope        text NOT NULL CHECK (scope IN ('admin', 'staff', 'read')),
    token_hash   bytea NOT NULL UNIQUE,
    created_at   timestamptz NOT NULL,
    revoked_at   timestamptz
);

-- Secrets the installation makes for itself once (signing keys); every process reads the same.
CREATE TABLE access_secret (
    name       text PRIMARY KEY,
    secret     bytea NOT NULL,
    created_at timestamptz NOT NULL
);

-- The hub: what can be booked, and every transition of it.
CREATE TABLE slot (
    slot_id       text PRIMARY KEY,
    provider      text NOT NULL,
    slot_key      text NOT NULL,
    watch_key     text NOT NULL,
    group_key     text NOT NULL,
    starts_at     timestamptz,
    open          boolean NOT NULL,
    opened_at     timestamptz,
    closed_at     timestamptz,
    last_seen_at  timestamptz NOT NULL,
    misses        integer NOT NULL DEFAULT 0 CHECK (misses >= 0),
    generation    integer NOT NULL DEFAULT 0,
    last_event_id bigint,
    last_event_at timestamptz,
    payload       jsonb NOT NULL DEFAULT '{}',
    UNIQUE (provider, slot_key),
    CHECK (open OR closed_at IS NOT NULL)
);
CREATE INDEX slot_open_by_watch ON slot (watch_key, slot_id) WHERE open;
CREATE INDEX slot_open_by_group ON slot (provider, group_key) WHERE open;
CREATE INDEX slot_by_watch ON slot (watch_key, slot_id);

CREATE TABLE open_event (
    open_event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider      text NOT NULL,
    watch_key     text NOT NULL,
    slot_id       text NOT NULL,
    slot_key      text NOT NULL,
    group_key     text NOT NULL,
    subject       jsonb NOT NULL,
    item_id       bigint,
    status_before text NOT NULL CHECK (status_before IN ('Open', 'Closed', 'Wait', 'Unknown')),
    status_after  text NOT NULL CHECK (status_after IN ('Open', 'Closed', 'Wait', 'Unknown')),
    seat_delta    integer NOT NULL,
    event_at      timestamptz NOT NULL,
    detected_by   text NOT NULL
        CHECK (detected_by IN ('open_sections', 'poll', 'section_status_event', 'signal', 'manual')),
    snapshot_id   bigint,
    dedupe_key    text NOT NULL UNIQUE,
    trace_id      text NOT NULL,
    payload       jsonb NOT NULL,
    topics        text[] NOT NULL,
    generation    integer NOT NULL,
    reason        text NOT NULL,
    -- Kept for one person (an offer): told to its topics, not shown in the feed.
    private       boolean NOT NULL DEFAULT false,
    -- Readers that follow by (recorded_xid, open_event_id) behind the oldest running transaction miss nothing,
    -- although ids are given out before they commit.
    recorded_xid  xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX open_event_newest ON open_event (event_at DESC, open_event_id DESC);
CREATE INDEX open_event_openings ON open_event (event_at DESC, open_event_id DESC) WHERE status_after = 'Open';
CREATE INDEX open_event_by_slot ON open_event (slot_id, open_event_id);
CREATE INDEX open_event_by_watch ON open_event (watch_key, event_at DESC, open_event_id DESC);
CREATE INDEX open_event_followed ON open_event (recorded_xid, open_event_id);

-- An event as people see it: whether what it announced is still to be had.
CREATE VIEW open_event_seen AS
SELECT event.*,
       slot.starts_at,
       coalesce(event.status_after = 'Open' AND slot.open AND slot.last_event_id = event.open_event_id, false)
           AS still_open,
       CASE
           WHEN event.status_after <> 'Open' OR slot.slot_id IS NULL THEN NULL
           WHEN slot.last_event_id = event.open_event_id THEN CASE WHEN slot.open THEN NULL ELSE slot.closed_at END
           ELSE (SELECT later.event_at FROM open_event AS later
                 WHERE later.slot_id = event.slot_id AND later.open_event_id > event.open_event_id
                   AND later.status_after <> 'Open'
                 ORDER BY later.open_event_id LIMIT 1)
       END AS closed_at
FROM open_event AS event
LEFT JOIN slot ON slot.slot_id = event.slot_id;
