-- Services that are asked in turns: by a rate averaged over minutes, a spacing, what their headers say, a daily quota.
CREATE TABLE outside_turn (
    service text PRIMARY KEY,
    -- The earliest moment of the next request, and of the next one that is a search.
    next_at timestamptz NOT NULL DEFAULT 'epoch',
    next_search_at timestamptz NOT NULL DEFAULT 'epoch',
    -- When the allowance would be full again (a token bucket, kept as one moment).
    full_at timestamptz NOT NULL DEFAULT 'epoch',
    paused_until timestamptz,
    pause_reason text NOT NULL DEFAULT '',
    quota_day date,
    quota_used integer NOT NULL DEFAULT 0 CHECK (quota_used >= 0)
);

-- What was read from Places too long ago is found by this.
CREATE INDEX entity_enrichment_read ON entity_enrichment (place_read_at) WHERE place_read_at IS NOT NULL;
