-- Places: what exists and where. Demand: what people looked for, and its collection.

CREATE TABLE community (
    location_key text PRIMARY KEY,
    lat double precision NOT NULL,
    lng double precision NOT NULL,
    position earth GENERATED ALWAYS AS (ll_to_earth(lat, lng)) STORED,
    active boolean NOT NULL DEFAULT true,
    posts_per_day double precision,
    -- Set by hand is a start; the first sample replaces it.
    activity_from text,
    safe_interval_days double precision NOT NULL DEFAULT 1,
    sampled_at timestamptz,
    sample_failures integer NOT NULL DEFAULT 0,
    sample_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- The sampling queue.
    due_at timestamptz,
    lease_token uuid,
    lease_until timestamptz,
    leased_by text,
    CONSTRAINT community_key_is_a_subreddit_in_lower_case CHECK (location_key ~ '^[a-z0-9_]{2,50}$'),
    CONSTRAINT community_is_on_earth CHECK (lat BETWEEN -90 AND 90 AND lng BETWEEN -180 AND 180),
    CONSTRAINT community_activity_has_a_source CHECK (
        (posts_per_day IS NULL) = (activity_from IS NULL)
        AND activity_from IN ('hand', 'sample')
        AND posts_per_day >= 0
    ),
    CONSTRAINT community_safe_interval CHECK (safe_interval_days BETWEEN 1 AND 60)
);
CREATE INDEX community_near ON community USING gist (position) WHERE active;
CREATE INDEX community_due ON community (due_at) WHERE active;

CREATE TABLE entity (
    entity_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    type text NOT NULL,
    name text NOT NULL,
    -- The name folded by places.names.key_of: case, width and spaces do not make another entity.
    name_key text NOT NULL,
    location_key text REFERENCES community,
    -- known: people see it. candidate: a name found by pattern, not confirmed yet. rejected: Places knows none.
    status text NOT NULL DEFAULT 'known',
    google_place_id text,
    lat double precision,
    lng double precision,
    position earth GENERATED ALWAYS AS (ll_to_earth(lat, lng)) STORED,
    -- The same on a flat map: a viewport is a box there.
    spot point GENERATED ALWAYS AS (point(lng, lat)) STORED,
    -- Precomputed over mention, so that a search costs what it finds.
    mention_count integer NOT NULL DEFAULT 0,
    mention_score bigint NOT NULL DEFAULT 0,
    last_mentioned_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT entity_type CHECK (type IN ('restaurant', 'food', 'food_attribute', 'restaurant_attribute')),
    CONSTRAINT entity_status CHECK (status IN ('known', 'candidate', 'rejected')),
    CONSTRAINT entity_has_a_name CHECK (name_key <> '' AND length(name) <= 200),
    CONSTRAINT entity_only_restaurants_have_a_place CHECK (
        (type = 'restaurant') = (location_key IS NOT NULL)
        AND (type = 'restaurant' OR (google_place_id IS NULL AND lat IS NULL AND lng IS NULL))
    ),
    CONSTRAINT entity_is_on_earth CHECK (
        (lat IS NULL) = (lng IS NULL) AND lat BETWEEN -90 AND 90 AND lng BETWEEN -180 AND 180
    )
);
CREATE UNIQUE INDEX entity_restaurant_once_per_place ON entity (name_key, location_key) WHERE type = 'restaurant';
CREATE UNIQUE INDEX entity_other_once ON entity (type, name_key) WHERE type <> 'restaurant';
CREATE UNIQUE INDEX entity_google_place_once ON entity (google_place_id);
CREATE INDEX entity_inside ON entity USING gist (spot) INCLUDE (entity_id) WHERE status = 'known';
CREATE INDEX entity_unplaced ON entity (location_key) WHERE type = 'restaurant' AND status = 'known' AND lat IS NULL;
CREATE INDEX entity_prefix ON entity (name_key text_pattern_ops, mention_count DESC) WHERE status = 'known';
CREATE INDEX entity_prefix_in_place ON entity (location_key, name_key text_pattern_ops) WHERE status = 'known';
CREATE INDEX entity_similar ON entity USING gin (name_key gin_trgm_ops);
CREATE INDEX entity_by_type ON entity (type, entity_id);

CREATE TABLE entity_alias (
    entity_id bigint NOT NULL REFERENCES entity ON DELETE CASCADE,
    alias text NOT NULL,
    alias_key text NOT NULL CHECK (alias_key <> ''),
    PRIMARY KEY (entity_id, alias_key)
);
CREATE INDEX entity_alias_prefix ON entity_alias (alias_key text_pattern_ops);

-- What a run found, kept so that reprocessing needs no second download.
CREATE TABLE community_post (
    post_id text PRIMARY KEY CHECK (post_id LIKE 't3\_%'),
    location_key text NOT NULL REFERENCES community,
    title text NOT NULL,
    body text NOT NULL DEFAULT '',
    permalink text NOT NULL DEFAULT '',
    score integer NOT NULL DEFAULT 0,
    comment_count integer NOT NULL DEFAULT 0,
    posted_at timestamptz NOT NULL,
    collected_at timestamptz NOT NULL,
    comments_loaded_at timestamptz,
    processed_at timestamptz,
    -- The extractor that read it, so that a better one can read it again.
    processed_by text
);
CREATE INDEX community_post_place ON community_post (location_key, posted_at DESC);
CREATE INDEX community_post_unprocessed ON community_post (collected_at) WHERE processed_at IS NULL;

CREATE TABLE community_comment (
    comment_id text PRIMARY KEY CHECK (comment_id LIKE 't1\_%'),
    post_id text NOT NULL REFERENCES community_post ON DELETE CASCADE,
    parent_id text NOT NULL,
    body text NOT NULL,
    score integer NOT NULL DEFAULT 0,
    posted_at timestamptz NOT NULL
);
CREATE INDEX community_comment_post ON community_comment (post_id);

CREATE TABLE mention (
    mention_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    restaurant_id bigint NOT NULL REFERENCES entity ON DELETE CASCADE,
    -- A food or an attribute; null: the restaurant itself was named.
    subject_id bigint REFERENCES entity ON DELETE CASCADE,
    -- The full name of the post (t3_…) or comment (t1_…).
    source_id text NOT NULL CHECK (source_id ~ '^t[13]_'),
    post_id text NOT NULL,
    score integer NOT NULL DEFAULT 0,
    mentioned_at timestamptz NOT NULL,
    CONSTRAINT mention_once UNIQUE NULLS NOT DISTINCT (source_id, restaurant_id, subject_id)
);
CREATE INDEX mention_of_restaurant ON mention (restaurant_id, subject_id, mentioned_at DESC);
CREATE INDEX mention_of_subject ON mention (subject_id);
CREATE INDEX mention_in_post ON mention (post_id);

-- mention, summed: which restaurants are known for what. A search reads this, never mention.
CREATE TABLE connection (
    restaurant_id bigint NOT NULL REFERENCES entity ON DELETE CASCADE,
    subject_id bigint NOT NULL REFERENCES entity ON DELETE CASCADE,
    mention_count integer NOT NULL,
    mention_score bigint NOT NULL,
    last_mentioned_at timestamptz NOT NULL,
    PRIMARY KEY (restaurant_id, subject_id)
);
CREATE INDEX connection_of_subject ON connection (subject_id, restaurant_id)
    INCLUDE (mention_count, mention_score, last_mentioned_at);

-- Where an entity stands with Google Places; one row per restaurant that was ever asked about.
CREATE TABLE entity_enrichment (
    entity_id bigint PRIMARY KEY REFERENCES entity ON DELETE CASCADE,
    status text NOT NULL DEFAULT 'waiting',
    reason text,
    error text,
    attempts integer NOT NULL DEFAULT 0,
    -- Bounds' centre or user location of the request; null: the community's centre.
    bias_lat double precision,
    bias_lng double precision,
    bias_radius_m double precision,
    match_score double precision,
    address text,
    place_types text[] NOT NULL DEFAULT '{}',
    -- Everything but the place id may be kept only so long (config: refresh_days).
    place_read_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    due_at timestamptz,
    lease_token uuid,
    lease_until timestamptz,
    leased_by text,
    CONSTRAINT entity_enrichment_status CHECK (
        status IN ('waiting', 'matched', 'no_match', 'owned_by_other', 'error')
    ),
    CONSTRAINT entity_enrichment_bias CHECK (
        (bias_lat IS NULL) = (bias_lng IS NULL) AND bias_lat BETWEEN -90 AND 90 AND bias_lng BETWEEN -180 AND 180
    )
);
CREATE INDEX entity_enrichment_due ON entity_enrichment (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE collection_request (
    request_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    term text NOT NULL,
    term_key text NOT NULL,
    entity_type text NOT NULL,
    reason text NOT NULL,
    -- Part of the identity of a restaurant's request; foods and attributes are asked for globally.
    location_key text REFERENCES community,
    -- Where it runs or ran last: the community of the sighting that made it due.
    run_location_key text REFERENCES community,
    occurrence_count bigint NOT NULL DEFAULT 1,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    -- Why the last sighting was not even asked for: enough_results, recorded_no_location, recorded_small_viewport.
    refused text,
    bias_lat double precision,
    bias_lng double precision,
    bias_radius_m double precision,
    status text NOT NULL DEFAULT 'pending',
    last_outcome text,
    queued_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    error text,
    -- What the last run asked, newest last: [{location_key, sort, time_filter, posts, at}].
    attempted jsonb NOT NULL DEFAULT '[]',
    -- Visible while it runs.
    stage text,
    posts_found integer NOT NULL DEFAULT 0,
    batches_total integer NOT NULL DEFAULT 0,
    batches_done integer NOT NULL DEFAULT 0,
    mentions_found integer NOT NULL DEFAULT 0,
    entities_found integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    lease_token uuid,
    lease_until timestamptz,
    leased_by text,
    CONSTRAINT collection_request_once
        UNIQUE NULLS NOT DISTINCT (term_key, entity_type, reason, location_key),
    CONSTRAINT collection_request_term CHECK (term_key <> '' AND length(term) <= 200),
    CONSTRAINT collection_request_type CHECK (
        entity_type IN ('restaurant', 'food', 'food_attribute', 'restaurant_attribute')
    ),
    CONSTRAINT collection_request_reason CHECK (reason IN ('low_result', 'unresolved')),
    CONSTRAINT collection_request_location CHECK (
        location_key IS NULL OR (entity_type = 'restaurant' AND run_location_key = location_key)
    ),
    CONSTRAINT collection_request_refused CHECK (
        refused IN ('enough_results', 'recorded_no_location', 'recorded_small_viewport')
    ),
    CONSTRAINT collection_request_status CHECK (
        CASE status
            WHEN 'pending' THEN true
            WHEN 'queued' THEN queued_at IS NOT NULL AND due_at IS NOT NULL
            WHEN 'processing' THEN started_at IS NOT NULL
            WHEN 'completed' THEN finished_at IS NOT NULL
            ELSE false
        END
    ),
    CONSTRAINT collection_request_due_somewhere CHECK (
        run_location_key IS NOT NULL OR (status = 'pending' AND due_at IS NULL)
    ),
    CONSTRAINT collection_request_outcome CHECK (
        last_outcome IN ('success', 'no_results', 'error', 'deferred')
    ),
    CONSTRAINT collection_request_stage CHECK (
        stage IN ('searching', 'loading', 'processing', 'enriching')
        AND (stage IS NULL OR status = 'processing')
    )
);
CREATE INDEX collection_request_due ON collection_request (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX collection_request_active ON collection_request (status) WHERE status IN ('queued', 'processing');
CREATE INDEX collection_request_seen ON collection_request (last_seen_at DESC, request_id DESC);
CREATE INDEX collection_request_place ON collection_request (run_location_key, last_seen_at DESC);

-- One row per (term, type, place of the run): it carries the cooldown and the sort history whatever the reason of
-- the request was, and names the one request that may run there now.
CREATE TABLE collection_target (
    term_key text NOT NULL,
    entity_type text NOT NULL,
    location_key text NOT NULL REFERENCES community,
    cooldown_until timestamptz,
    errors_in_a_row integer NOT NULL DEFAULT 0,
    -- {sort: {last_run_at, last_time_filter}}
    sort_history jsonb NOT NULL DEFAULT '{}',
    active_request_id bigint REFERENCES collection_request,
    PRIMARY KEY (term_key, entity_type, location_key),
    CONSTRAINT collection_target_one_at_a_time UNIQUE (active_request_id)
);

-- Finished runs: what the ETA is measured from.
CREATE TABLE collection_run (
    run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_id bigint NOT NULL REFERENCES collection_request ON DELETE CASCADE,
    location_key text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('success', 'no_results', 'error', 'deferred')),
    started_at timestamptz NOT NULL,
    finished_at timestamptz NOT NULL,
    posts integer NOT NULL DEFAULT 0,
    mentions integer NOT NULL DEFAULT 0,
    error text
);
CREATE INDEX collection_run_recent ON collection_run (finished_at DESC);
CREATE INDEX collection_run_of_request ON collection_run (request_id, finished_at DESC);

-- How far up a restaurant stands: many mentions count, fresh ones up to twice as much, near ones up to twice as much.
CREATE FUNCTION search_score(mentions bigint, last_mentioned_at timestamptz, now timestamptz, distance_m double precision,
                             reach_m double precision)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ln(1 + greatest(mentions, 0))
    -- Half of the freshness is gone after half a year.
    * (0.5 + 0.5 * coalesce(power(0.5::float8, greatest(0, extract(epoch FROM now - last_mentioned_at)::float8) / 15552000.0), 0))
    -- Unknown where: as if at the edge. Nobody said where from: as if near.
    * (1 - 0.5 * CASE WHEN reach_m IS NULL THEN 0 ELSE least(1, coalesce(distance_m / greatest(reach_m, 1), 1)) END);
