-- The line: people who wait for room on an own floor, in order; and what was offered to them. See dibs/offers.
CREATE TABLE line_place (
    place_id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    restaurant_id   uuid NOT NULL REFERENCES restaurants,
    -- Nobody can guess it, so nobody else can be told of this person's offers.
    topic           text NOT NULL UNIQUE,
    subscription_id bigint,
    channel         text NOT NULL,
    address_key     text NOT NULL,
    party_size      integer NOT NULL CHECK (party_size > 0),
    earliest        timestamptz NOT NULL,
    latest          timestamptz NOT NULL CHECK (latest >= earliest),
    service_date    date NOT NULL,
    guest           jsonb,
    -- The order of the line; staff can put a place between two others.
    rank            double precision NOT NULL,
    status          text NOT NULL CHECK (status IN ('waiting', 'offered', 'served', 'left', 'expired')),
    reason          text,
    -- Starts that were offered and not taken: they go to the next.
    refused         timestamptz[] NOT NULL DEFAULT '{}',
    lapses          integer NOT NULL DEFAULT 0 CHECK (lapses >= 0),
    -- How often somebody behind was served while this one did not fit, and since when it comes first.
    passed          integer NOT NULL DEFAULT 0 CHECK (passed >= 0),
    first_since     timestamptz,
    joined_at       timestamptz NOT NULL,
    ended_at        timestamptz,
    due_at          timestamptz,
    lease_token     uuid,
    lease_until     timestamptz,
    leased_by       text,
    CHECK ((status IN ('waiting', 'offered')) = (ended_at IS NULL))
);
CREATE SEQUENCE line_rank AS bigint;
CREATE UNIQUE INDEX line_place_live ON line_place (restaurant_id, service_date, channel, address_key)
    WHERE status IN ('waiting', 'offered');
CREATE INDEX line_place_order ON line_place (restaurant_id, service_date, rank, place_id)
    WHERE status IN ('waiting', 'offered');
CREATE INDEX line_place_due ON line_place (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX line_place_by_subscription ON line_place (subscription_id);

CREATE TABLE offer (
    offer_id      uuid PRIMARY KEY,
    place_id      bigint NOT NULL REFERENCES line_place,
    restaurant_id uuid NOT NULL REFERENCES restaurants,
    hold_id       uuid NOT NULL UNIQUE,
    slot_id       text NOT NULL,
    table_numbers text[] NOT NULL,
    party_size    integer NOT NULL,
    start_at      timestamptz NOT NULL,
    end_at        timestamptz NOT NULL,
    service_date  date NOT NULL,
    status        text NOT NULL CHECK (status IN ('live', 'claimed', 'declined', 'lapsed', 'withdrawn')),
    offered_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    ended_at      timestamptz,
    booking_id    uuid,
    open_event_id bigint,
    due_at        timestamptz,
    lease_token   uuid,
    lease_until   timestamptz,
    leased_by     text,
    CHECK ((status = 'live') = (ended_at IS NULL)),
    CHECK ((status = 'claimed') = (booking_id IS NOT NULL))
);
-- Nobody has two offers at once.
CREATE UNIQUE INDEX offer_live ON offer (place_id) WHERE status = 'live';
CREATE INDEX offer_due ON offer (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX offer_by_place ON offer (place_id, offered_at);
CREATE INDEX offer_by_event ON offer (open_event_id);

-- Days on which room may have opened while somebody waits. `changes` keeps a change that lands while the day is
-- being looked at from being settled away.
CREATE TABLE line_check (
    check_key     text PRIMARY KEY,
    restaurant_id uuid NOT NULL,
    service_date  date NOT NULL,
    changes       bigint NOT NULL DEFAULT 1,
    due_at        timestamptz,
    lease_token   uuid,
    lease_until   timestamptz,
    leased_by     text
);
CREATE INDEX line_check_due ON line_check (due_at) WHERE due_at IS NOT NULL;

-- Asks for a look at a day, if somebody waits on it. Triggers know no clock: the day is due since ever.
CREATE FUNCTION ask_line(p_restaurant_id uuid, p_service_date date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO line_check AS known (check_key, restaurant_id, service_date, due_at)
    SELECT DISTINCT restaurant_id || ':' || service_date, restaurant_id, service_date, '-infinity'::timestamptz
    FROM line_place
    WHERE restaurant_id = p_restaurant_id
      AND (p_service_date IS NULL OR service_date = p_service_date)
      AND status IN ('waiting', 'offered')
    ORDER BY 1
    ON CONFLICT (check_key) DO UPDATE SET changes = known.changes + 1, due_at = excluded.due_at;
    IF FOUND THEN
        PERFORM pg_notify('dibs_line', '');
    END IF;
END
$$;

CREATE FUNCTION ask_line_for_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ask_line(restaurant_id, service_date)
    FROM (SELECT DISTINCT restaurant_id, service_date FROM changed ORDER BY 1, 2) AS touched;
    RETURN NULL;
END
$$;
CREATE TRIGGER ask_line_freed AFTER DELETE ON allocations
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ask_line_for_claims();

-- A claim that became shorter or moved frees something too; one that only changed hands does not.
CREATE FUNCTION ask_line_for_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ask_line(restaurant_id, service_date)
    FROM (SELECT DISTINCT before.restaurant_id, before.service_date
          FROM before JOIN after USING (allocation_id)
          WHERE NOT after.blocked @> before.blocked OR after.table_id <> before.table_id
          ORDER BY 1, 2) AS touched;
    RETURN NULL;
END
$$;
CREATE TRIGGER ask_line_moved AFTER UPDATE ON allocations
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION ask_line_for_moves();

CREATE FUNCTION ask_line_for_floor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ask_line(restaurant_id, NULL) FROM (SELECT DISTINCT restaurant_id FROM changed ORDER BY 1) AS touched;
    RETURN NULL;
END
$$;
CREATE TRIGGER ask_line_tables_added AFTER INSERT ON table_inventory
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ask_line_for_floor();
CREATE TRIGGER ask_line_tables_changed AFTER UPDATE ON table_inventory
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ask_line_for_floor();
