-- How fast a provider may be asked, counted over all processes. A lane carries one request at a time and
-- rests after it; a worker that dies with a lane gives it back when its time is over.
CREATE TABLE provider_pace (
    provider     text PRIMARY KEY,
    profile      text NOT NULL DEFAULT 'normal' CHECK (profile IN ('normal', 'degraded')),
    paused_until timestamptz,
    successes    integer NOT NULL DEFAULT 0,
    reason       text NOT NULL DEFAULT '',
    changed_at   timestamptz
);

CREATE TABLE provider_lane (
    provider text NOT NULL REFERENCES provider_pace ON DELETE CASCADE,
    lane     integer NOT NULL CHECK (lane >= 0),
    free_at  timestamptz NOT NULL DEFAULT '-infinity',
    holder   uuid,
    PRIMARY KEY (provider, lane)
);

-- What is watched, when it is looked at next, and how the last looks went.
CREATE TABLE watch (
    watch_key            text PRIMARY KEY,
    provider             text NOT NULL,
    bucket_id            text NOT NULL,
    query                jsonb NOT NULL,
    policy               jsonb NOT NULL DEFAULT '{}',
    cadence              jsonb NOT NULL DEFAULT '{}',
    target_date          date,
    rolling              boolean NOT NULL DEFAULT false,
    paused               boolean NOT NULL DEFAULT false,
    created_at           timestamptz NOT NULL,
    due_at               timestamptz,
    lease_token          uuid,
    lease_until          timestamptz,
    leased_by            text,
    outcome              text CHECK (outcome IN ('unchanged', 'changed', 'bootstrapped', 'partial', 'suspect', 'failed')),
    reason               text NOT NULL DEFAULT '',
    open_count           integer NOT NULL DEFAULT 0,
    last_polled_at       timestamptz,
    last_good_at         timestamptz,
    last_changed_at      timestamptz,
    consecutive_failures integer NOT NULL DEFAULT 0,
    configuration_fault  boolean NOT NULL DEFAULT false,
    heat                 double precision NOT NULL DEFAULT 0,
    quiet_polls          integer NOT NULL DEFAULT 0,
    -- Heartbeats since the last answer that was read: each saw as many slots as that one.
    beats                integer NOT NULL DEFAULT 0,
    -- Set only while nothing is undecided: then the same answer again can be passed over unread.
    source_hash          text,
    etag                 text,
    last_modified        text,
    UNIQUE (provider, bucket_id),
    CHECK (watch_key = provider || ':' || bucket_id)
);
CREATE INDEX watch_due ON watch (provider, due_at) WHERE NOT paused;

CREATE TABLE watch_state (
    watch_key     text PRIMARY KEY REFERENCES watch ON DELETE CASCADE,
    look_complete boolean NOT NULL,
    look_groups   text[],
    counts        integer[] NOT NULL,
    suspect_since timestamptz,
    suspect_samples integer,
    suspect_count integer,
    nameless      integer NOT NULL,
    CHECK ((suspect_since IS NULL) = (suspect_samples IS NULL) AND (suspect_since IS NULL) = (suspect_count IS NULL))
);

-- What a watch sees now; a slot can be seen by several.
CREATE TABLE watch_slot (
    watch_key     text NOT NULL REFERENCES watch ON DELETE CASCADE,
    slot_key      text NOT NULL,
    slot_id       text NOT NULL,
    group_key     text NOT NULL,
    misses        integer NOT NULL DEFAULT 0,
    unknown_since timestamptz,
    quiet         boolean NOT NULL DEFAULT false,
    PRIMARY KEY (watch_key, slot_key)
);
CREATE INDEX watch_slot_by_slot ON watch_slot (slot_id);

-- Every heartbeat. Old days are dropped as a whole; the default part only catches what no day was made for.
CREATE TABLE watch_snapshot (
    snapshot_id bigint GENERATED ALWAYS AS IDENTITY,
    watch_key   text NOT NULL,
    provider    text NOT NULL,
    seen_at     timestamptz NOT NULL,
    source_hash text,
    outcome     text NOT NULL,
    reason      text NOT NULL DEFAULT '',
    open_count  integer NOT NULL,
    opened      integer NOT NULL DEFAULT 0,
    closed      integer NOT NULL DEFAULT 0,
    skipped     integer NOT NULL DEFAULT 0,
    requests    integer NOT NULL DEFAULT 0,
    duration_ms integer NOT NULL DEFAULT 0,
    PRIMARY KEY (snapshot_id, seen_at)
) PARTITION BY RANGE (seen_at);
CREATE TABLE watch_snapshot_other PARTITION OF watch_snapshot DEFAULT;
CREATE INDEX watch_snapshot_by_watch ON watch_snapshot (watch_key, seen_at DESC);

CREATE FUNCTION make_snapshot_day(day date) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    part text := format('watch_snapshot_%s', to_char(day, 'YYYYMMDD'));
BEGIN
    IF to_regclass(part) IS NOT NULL THEN
        RETURN false;
    END IF;
    -- Rows that came before their day was made stay where they are; then the day is not made.
    IF EXISTS (SELECT FROM watch_snapshot_other WHERE seen_at >= day::timestamp AT TIME ZONE 'UTC' AND seen_at < (day + 1)::timestamp AT TIME ZONE 'UTC') THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE %I PARTITION OF watch_snapshot FOR VALUES FROM (%L) TO (%L)', part,
                   day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
    RETURN true;
END $$;

CREATE FUNCTION drop_snapshot_days(before date) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    part record;
    dropped integer := 0;
BEGIN
    FOR part IN
        SELECT relname FROM pg_class JOIN pg_inherits ON inhrelid = oid
        WHERE inhparent = 'watch_snapshot'::regclass AND relname ~ '^watch_snapshot_[0-9]{8}$'
          AND to_date(right(relname, 8), 'YYYYMMDD') < before
    LOOP
        EXECUTE format('DROP TABLE %I', part.relname);
        dropped := dropped + 1;
    END LOOP;
    DELETE FROM watch_snapshot_other WHERE seen_at < before::timestamp AT TIME ZONE 'UTC';
    RETURN dropped;
END $$;

-- What a soc index stands for.
CREATE TABLE catalog_item (
    item_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider      text NOT NULL,
    term_id       text NOT NULL,
    campus_code   text NOT NULL,
    index_number  text NOT NULL,
    course_string text NOT NULL,
    title         text NOT NULL,
    section       text NOT NULL,
    meetings      text NOT NULL,
    details       jsonb NOT NULL DEFAULT '{}',
    seen_at       timestamptz NOT NULL,
    UNIQUE (provider, term_id, campus_code, index_number)
);

CREATE TABLE catalog_load (
    provider    text NOT NULL,
    term_id     text NOT NULL,
    campus_code text NOT NULL,
    due_at      timestamptz,
    lease_token uuid,
    lease_until timestamptz,
    leased_by   text,
    source_hash text,
    loaded_at   timestamptz,
    items       integer NOT NULL DEFAULT 0,
    reason      text NOT NULL DEFAULT '',
    load_key    text GENERATED ALWAYS AS (provider || ':' || term_id || ':' || campus_code) STORED PRIMARY KEY
);

-- What somebody else saw of a slot, as it was told.
CREATE TABLE section_status_event (
    status_event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider        text NOT NULL,
    slot_key        text NOT NULL,
    status          text NOT NULL CHECK (status IN ('Open', 'Closed', 'Wait', 'Unknown')),
    observed_at     timestamptz NOT NULL,
    source          text NOT NULL,
    verdict         text NOT NULL,
    recorded_at     timestamptz NOT NULL
);
CREATE INDEX section_status_event_by_slot ON section_status_event (provider, slot_key, observed_at DESC);
CREATE INDEX section_status_event_by_age ON section_status_event (recorded_at);

-- What detection has to remember of a slot beyond what people see.
ALTER TABLE slot
    ADD COLUMN last_closed_at timestamptz,
    ADD COLUMN quiet boolean NOT NULL DEFAULT false,
    ADD COLUMN distrust_until timestamptz;
