-- Demand that becomes a watch, and the people who asked to be told. See dibs/wanted.

-- How often a thing was looked for on each of the last days: `seen_counts[1]` is for `seen_on`, the next for the day
-- before it. In the row that a sighting writes anyway, so that counting by day costs no second write.
ALTER TABLE collection_request
    ADD COLUMN seen_on date,
    ADD COLUMN seen_counts integer[] NOT NULL DEFAULT '{}',
    ADD CONSTRAINT collection_request_seen_counts CHECK (cardinality(seen_counts) <= 31);

-- The counts with one more sighting. One that comes late, over midnight, counts for the newest day.
CREATE FUNCTION count_sighting(counts integer[], counted_on date, today date) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN counted_on IS NULL OR today - counted_on >= 31 THEN ARRAY[1]
    WHEN today <= counted_on THEN (counts[1] + 1) || counts[2:]
    ELSE (1 || array_fill(0, ARRAY[today - counted_on - 1]) || counts)[1:31]
END;

-- How many of them were within the last `days` days, today being one of them.
CREATE FUNCTION sightings_within(counts integer[], counted_on date, today date, days integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce((SELECT sum(one) FROM unnest(counts[1:days - greatest(today - counted_on, 0)]) AS one), 0)::bigint;

-- One row per request that somebody wanted watched: by hand, by the rule, or by asking to be told.
CREATE TABLE wanted (
    request_id  bigint PRIMARY KEY REFERENCES collection_request,
    status      text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'watched', 'stopped')),
    -- What the last look for it among the known places gave; null: nobody looked yet.
    verdict     text CHECK (verdict IN ('matched', 'ambiguous', 'elsewhere', 'unknown', 'not_watchable')),
    candidates  jsonb NOT NULL DEFAULT '[]',
    provider    text,
    group_key   text,
    name        text,
    topic       text,
    watched_by  text CHECK (watched_by IN ('person', 'rule')),
    watched_at  timestamptz,
    stopped_at  timestamptz,
    -- When the rule looks again.
    due_at      timestamptz,
    lease_token uuid,
    lease_until timestamptz,
    leased_by   text,
    CHECK (status = 'open' OR (provider, group_key, name, topic, watched_by, watched_at) IS NOT NULL),
    CHECK ((status = 'stopped') = (stopped_at IS NOT NULL)),
    CHECK (status = 'open' OR due_at IS NULL)
);
CREATE INDEX wanted_due ON wanted (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX wanted_watched ON wanted (provider) WHERE status = 'watched';

-- Watches that were made because something is wanted, so that they can be removed when their day has passed.
CREATE TABLE wanted_watch (
    watch_key text PRIMARY KEY,
    provider  text NOT NULL,
    day       date NOT NULL
);

-- People who asked to be told. `topic` is where they are, or are about to be, subscribed: it is written before the
-- subscription is made, so that one made just before a crash is found again.
CREATE TABLE wanted_ask (
    ask_id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_id      bigint NOT NULL REFERENCES wanted,
    channel         text NOT NULL,
    address         text NOT NULL,
    address_key     text NOT NULL,
    locale          text NOT NULL,
    preferences     jsonb NOT NULL DEFAULT '{}',
    -- Of the token that was shown once. The first subscription has the same, so the token manages that too; one that
    -- is made after the place changed needs another, because no two subscriptions share one.
    token_hash      bytea NOT NULL,
    subscription_hash bytea NOT NULL,
    webhook_secret  text,
    asked_at        timestamptz NOT NULL,
    withdrawn_at    timestamptz,
    topic           text,
    subscription_id bigint,
    problem         text,
    -- Counts what happened to it, so that a change that lands while it is worked on is not settled away.
    changes         bigint NOT NULL DEFAULT 1,
    due_at          timestamptz,
    lease_token     uuid,
    lease_until     timestamptz,
    leased_by       text,
    CHECK (subscription_id IS NULL OR topic IS NOT NULL)
);
CREATE UNIQUE INDEX wanted_ask_live ON wanted_ask (request_id, channel, address_key) WHERE withdrawn_at IS NULL;
CREATE INDEX wanted_ask_due ON wanted_ask (due_at) WHERE due_at IS NOT NULL;

-- The places that a provider knows are walked over this, one step per place however many slots it has.
CREATE INDEX slot_by_group ON slot (provider, group_key, starts_at DESC);
