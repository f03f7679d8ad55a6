-- Floors, bookings, holds, and the claims that keep one table from being given twice. See dibs/capacity/__init__.py.
--
-- Order of locks, everywhere: (zone, service date) sorted → booking → holds by id → claims. Freeing takes no
-- advisory lock. Outcomes a caller can act on are raised with a SQLSTATE of their own:
--   CP001 capacity_conflict  CP002 hold_conflict  CP003 idempotency_mismatch  CP004 inactive_booking
--   CP010 hold_expired       CP020 cross_zone     CP021 inactive_table        CP022 fixed_merge
--   CP023 not_adjacent       CP024 insufficient_capacity                      CP030 too_many_holds
--   CP040 not_found          23P01 (the exclusion constraint itself) is capacity_conflict too

CREATE TABLE restaurants (
    restaurant_id   uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    slug            text NOT NULL UNIQUE CHECK (slug <> ''),
    name            text NOT NULL,
    timezone        text NOT NULL,
    policy          jsonb NOT NULL,
    service_periods jsonb NOT NULL,
    -- Counts the replacements of the floor: what a process remembers of it is good while this stays the same.
    floor_version   bigint NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL
);

-- Zones and tables are never deleted, claims of the past stand on them; one that comes back keeps its id.
CREATE TABLE zones (
    zone_id       uuid PRIMARY KEY,
    restaurant_id uuid NOT NULL REFERENCES restaurants,
    name          text NOT NULL CHECK (name <> ''),
    position      integer NOT NULL,
    removed_at    timestamptz,
    UNIQUE (restaurant_id, name)
);

CREATE TABLE table_inventory (
    table_id      uuid PRIMARY KEY,
    restaurant_id uuid NOT NULL REFERENCES restaurants,
    zone_id       uuid NOT NULL REFERENCES zones,
    number        text NOT NULL CHECK (number <> ''),
    capacity      integer NOT NULL CHECK (capacity > 0),
    min_party     integer NOT NULL DEFAULT 1 CHECK (min_party > 0),
    max_party     integer CHECK (max_party >= min_party),
    mobility      text NOT NULL CHECK (mobility IN ('movable', 'fixed')),
    active        boolean NOT NULL DEFAULT true,
    x             double precision,
    y             double precision,
    position      integer NOT NULL DEFAULT 0,
    removed_at    timestamptz,
    UNIQUE (restaurant_id, number)
);

-- One row is enough for both directions.
CREATE TABLE table_adjacencies (
    table_a uuid NOT NULL REFERENCES table_inventory,
    table_b uuid NOT NULL REFERENCES table_inventory,
    PRIMARY KEY (table_a, table_b),
    CHECK (table_a <> table_b)
);
CREATE INDEX table_adjacencies_back ON table_adjacencies (table_b, table_a);

CREATE TABLE bookings (
    booking_id    uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    restaurant_id uuid NOT NULL REFERENCES restaurants,
    party_size    integer NOT NULL CHECK (party_size > 0),
    -- The dining window; `blocked` is wider by the buffers.
    start_at      timestamptz NOT NULL,
    end_at        timestamptz NOT NULL CHECK (end_at > start_at),
    blocked       tstzrange NOT NULL CHECK (blocked @> tstzrange(start_at, end_at)),
    service_date  date NOT NULL,
    status        text NOT NULL
        CHECK (status IN ('pending', 'confirmed', 'seated', 'completed', 'cancelled', 'no_show', 'expired')),
    guest         jsonb,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL
);
CREATE INDEX bookings_by_day ON bookings (restaurant_id, service_date, start_at, booking_id);
CREATE INDEX bookings_pending ON bookings (end_at) WHERE status = 'pending';

CREATE TABLE table_holds (
    hold_id           uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    restaurant_id     uuid NOT NULL REFERENCES restaurants,
    zone_id           uuid NOT NULL REFERENCES zones,
    booking_id        uuid REFERENCES bookings,
    table_ids         uuid[] NOT NULL CHECK (cardinality(table_ids) > 0),
    party_size        integer NOT NULL CHECK (party_size > 0),
    start_at          timestamptz NOT NULL,
    end_at            timestamptz NOT NULL CHECK (end_at > start_at),
    blocked           tstzrange NOT NULL CHECK (blocked @> tstzrange(start_at, end_at)),
    service_date      date NOT NULL,
    require_adjacency boolean NOT NULL,
    held_by           text NOT NULL,
    status            text NOT NULL DEFAULT 'held' CHECK (status IN ('held', 'confirmed', 'released', 'expired')),
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    ended_at          timestamptz,
    -- Due work of the sweeper: to expire it, or to tell that it ended on the side of something else.
    due_at            timestamptz,
    lease_token       uuid,
    lease_until       timestamptz,
    leased_by         text,
    CHECK ((status = 'held') = (ended_at IS NULL))
);
CREATE INDEX table_holds_due ON table_holds (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX table_holds_of_token ON table_holds (held_by, expires_at) WHERE status = 'held';
CREATE INDEX table_holds_of_booking ON table_holds (booking_id) WHERE status = 'held';
CREATE INDEX table_holds_live ON table_holds (restaurant_id, expires_at, hold_id) WHERE status = 'held';
CREATE INDEX table_holds_ended ON table_holds (ended_at) WHERE ended_at IS NOT NULL;

-- The tables that one booking has pushed together.
CREATE TABLE merge_groups (
    merge_group_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    booking_id     uuid NOT NULL REFERENCES bookings,
    zone_id        uuid NOT NULL REFERENCES zones,
    created_at     timestamptz NOT NULL
);
CREATE INDEX merge_groups_of_booking ON merge_groups (booking_id);

-- Everything that blocks a table stands here and nowhere else, and no two rows of one table overlap.
CREATE TABLE allocations (
    allocation_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    restaurant_id  uuid NOT NULL,
    table_id       uuid NOT NULL REFERENCES table_inventory,
    resource_type  text NOT NULL CHECK (resource_type IN ('booking', 'hold')),
    booking_id     uuid REFERENCES bookings,
    hold_id        uuid REFERENCES table_holds,
    merge_group_id uuid REFERENCES merge_groups,
    blocked        tstzrange NOT NULL,
    service_date   date NOT NULL,
    -- When a hold's claim stops to count: its hold's `expires_at`, here so that readers of a day need not look there.
    lapses_at      timestamptz,
    CONSTRAINT allocations_no_overlap EXCLUDE USING gist (table_id WITH =, blocked WITH &&),
    CHECK ((resource_type = 'booking') = (booking_id IS NOT NULL)),
    CHECK ((resource_type = 'hold') = (hold_id IS NOT NULL)),
    CHECK ((hold_id IS NULL) = (lapses_at IS NULL)),
    -- Half a day bounds how far back a reader must look for what is still going on.
    CONSTRAINT allocations_bounded CHECK (
        lower_inc(blocked) AND NOT upper_inc(blocked) AND upper(blocked) - lower(blocked) <= interval '12 hours')
);
CREATE INDEX allocations_by_time ON allocations (restaurant_id, lower(blocked));
CREATE INDEX allocations_by_date ON allocations (restaurant_id, service_date, table_id);
CREATE INDEX allocations_of_booking ON allocations (booking_id) WHERE booking_id IS NOT NULL;
CREATE INDEX allocations_of_hold ON allocations (hold_id) WHERE hold_id IS NOT NULL;

-- The first answer to each key. `scope_id` is the booking, or the restaurant when the confirm makes the booking.
CREATE TABLE booking_assignment_idempotency (
    scope_id        uuid NOT NULL,
    idempotency_key text NOT NULL CHECK (idempotency_key <> ''),
    booking_id      uuid NOT NULL,
    hold_id         uuid UNIQUE,
    table_ids       uuid[] NOT NULL,
    answer          jsonb NOT NULL,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (scope_id, idempotency_key)
);
CREATE INDEX booking_assignment_idempotency_age ON booking_assignment_idempotency (created_at);

CREATE TABLE observability_events (
    event_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    occurred_at   timestamptz NOT NULL,
    source        text NOT NULL,
    event_type    text NOT NULL,
    severity      text NOT NULL DEFAULT 'info' CHECK (severity IN ('debug', 'info', 'warning', 'error')),
    restaurant_id uuid,
    booking_id    uuid,
    context       jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX observability_events_newest ON observability_events (occurred_at);
CREATE INDEX observability_events_of_type ON observability_events (event_type, occurred_at);

-- Takes the lock of every zone these tables stand in, in one order. 13743424 is Keyspace.ZONE_DATE.
CREATE FUNCTION lock_zone_date(p_table_ids uuid[], p_service_date date) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(13743424, wanted.key)
    FROM (SELECT DISTINCT hashtext(zone_id::text || ':' || p_service_date) AS key
          FROM table_inventory
          WHERE table_id = ANY (p_table_ids)
          ORDER BY 1) AS wanted;
END
$$;

-- What a set of tables must be, whoever chose it. The answer is their zone and restaurant.
CREATE FUNCTION check_tables(
    p_table_ids uuid[], p_party_size integer, p_require_adjacency boolean,
    OUT zone_id uuid, OUT restaurant_id uuid)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    wanted  integer := cardinality(p_table_ids);
    tables  record;
    reached integer;
BEGIN
    SELECT count(*) AS known,
           count(DISTINCT t.zone_id) AS zones,
           bool_and(t.active) AS all_active,
           bool_and(t.mobility = 'movable') AS all_movable,
           sum(t.capacity) AS seats,
           min(t.max_party) AS largest_party,
           (array_agg(t.zone_id))[1] AS zone_id,
           (array_agg(t.restaurant_id))[1] AS restaurant_id
    INTO tables
    FROM table_inventory AS t
    WHERE t.table_id = ANY (p_table_ids) AND t.removed_at IS NULL;

    IF wanted IS NULL OR wanted = 0 THEN
        RAISE EXCEPTION 'At least one table is needed.' USING ERRCODE = '22023';
    ELSIF tables.known <> wanted THEN
        RAISE EXCEPTION 'One of the tables is not known.' USING ERRCODE = 'CP040';
    ELSIF tables.zones > 1 THEN
        RAISE EXCEPTION 'The tables stand in different zones; choose them from one.' USING ERRCODE = 'CP020';
    ELSIF NOT tables.all_active THEN
        RAISE EXCEPTION 'One of the tables is not in use; choose active tables.' USING ERRCODE = 'CP021';
    ELSIF wanted > 1 AND NOT tables.all_movable THEN
        RAISE EXCEPTION 'A fixed table cannot be pushed together with others; choose movable ones.'
            USING ERRCODE = 'CP022';
    ELSIF tables.seats < p_party_size OR (wanted = 1 AND tables.largest_party < p_party_size) THEN
        RAISE EXCEPTION 'The tables seat fewer than the % guests of the party; choose more or larger ones.',
            p_party_size USING ERRCODE = 'CP024';
    END IF;

    IF p_require_adjacency AND wanted > 1 THEN
        WITH RECURSIVE touched (table_id) AS (
            SELECT p_table_ids[1]
            UNION
            SELECT next.table_id
            FROM touched
            CROSS JOIN LATERAL (
                SELECT table_b FROM table_adjacencies WHERE table_a = touched.table_id
                UNION ALL
                SELECT table_a FROM table_adjacencies WHERE table_b = touched.table_id
            ) AS next (table_id)
            WHERE next.table_id = ANY (p_table_ids)
        )
        SELECT count(*) INTO reached FROM touched;
        IF reached < wanted THEN
            RAISE EXCEPTION 'The tables do not all stand together; choose a connected set.' USING ERRCODE = 'CP023';
        END IF;
    END IF;
    zone_id := tables.zone_id;
    restaurant_id := tables.restaurant_id;
END
$$;

-- Whether somebody else's live claim is in the way. Expired holds that are, are ended here: their room is needed now.
CREATE FUNCTION claim_room(
    p_table_ids uuid[], p_blocked tstzrange, p_except_booking uuid, p_at timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    stale uuid[];
    live  boolean;
BEGIN
    SELECT coalesce(bool_or(claim.lapses_at IS NULL OR claim.lapses_at > p_at), false),
           array_agg(claim.hold_id) FILTER (WHERE claim.lapses_at <= p_at)
    INTO live, stale
    FROM allocations AS claim
    WHERE claim.table_id = ANY (p_table_ids)
      AND claim.blocked && p_blocked
      AND (p_except_booking IS NULL OR claim.booking_id IS DISTINCT FROM p_except_booking);
    IF NOT live AND stale IS NOT NULL THEN
        PERFORM expire_holds(stale, p_at);
    END IF;
    RETURN NOT live;
END
$$;

-- Ends those of the holds that have expired and frees their tables. `due_at` stays: the sweeper tells of it.
CREATE FUNCTION expire_holds(p_hold_ids uuid[], p_at timestamptz) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    expired uuid[];
BEGIN
    expired := ARRAY(
        SELECT hold_id FROM table_holds
        WHERE hold_id = ANY (p_hold_ids) AND status = 'held' AND expires_at <= p_at
        ORDER BY hold_id
        FOR UPDATE);
    UPDATE table_holds SET status = 'expired', ended_at = p_at WHERE hold_id = ANY (expired);
    DELETE FROM allocations WHERE hold_id = ANY (expired);
    RETURN cardinality(expired);
END
$$;

-- Frees the live holds of a booking that needs them no longer; the sweeper tells of it.
CREATE FUNCTION release_holds_of(p_booking_id uuid, p_except_hold uuid, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    freed uuid[];
BEGIN
    freed := ARRAY(
        SELECT hold_id FROM table_holds
        WHERE booking_id = p_booking_id AND status = 'held' AND expires_at > p_at
          AND hold_id IS DISTINCT FROM p_except_hold
        ORDER BY hold_id
        FOR UPDATE);
    IF cardinality(freed) > 0 THEN
        UPDATE table_holds SET status = 'released', ended_at = p_at, due_at = p_at WHERE hold_id = ANY (freed);
        DELETE FROM allocations WHERE hold_id = ANY (freed);
    END IF;
END
$$;

-- Frees the tables of a booking. Whoever calls holds its row.
CREATE FUNCTION free_tables_of(p_booking_id uuid) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    freed integer;
BEGIN
    DELETE FROM allocations WHERE booking_id = p_booking_id;
    GET DIAGNOSTICS freed = ROW_COUNT;
    IF freed > 1 THEN
        DELETE FROM merge_groups WHERE booking_id = p_booking_id;
    END IF;
    RETURN freed;
END
$$;

CREATE FUNCTION lock_booking(p_booking_id uuid) RETURNS bookings
LANGUAGE plpgsql AS $$
DECLARE
    booking bookings;
BEGIN
    SELECT * INTO booking FROM bookings WHERE booking_id = p_booking_id FOR NO KEY UPDATE;
    IF booking.booking_id IS NULL THEN
        RAISE EXCEPTION 'There is no such booking.' USING ERRCODE = 'CP040';
    END IF;
    RETURN booking;
END
$$;

CREATE FUNCTION require_active(p_booking bookings) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_booking.status NOT IN ('pending', 'confirmed', 'seated') THEN
        RAISE EXCEPTION 'The booking is %; only a pending, confirmed or seated one can have tables.', p_booking.status
            USING ERRCODE = 'CP004';
    END IF;
END
$$;

-- Holds the first of the sets that is free. The sets lie one after the other in p_table_ids; p_set_sizes says where
-- each one ends. One call does what a quote needs, so that the next best set costs no further round trip.
CREATE FUNCTION place_hold(
    p_table_ids uuid[], p_set_sizes integer[], p_party_size integer,
    p_start_at timestamptz, p_end_at timestamptz, p_blocked tstzrange, p_service_date date,
    p_ttl_s integer, p_held_by text,
    p_booking_id uuid DEFAULT NULL, p_require_adjacency boolean DEFAULT false,
    p_max_per_token integer DEFAULT 200, p_max_per_booking integer DEFAULT 3, p_now timestamptz DEFAULT NULL,
    OUT hold_id uuid, OUT set_no integer, OUT zone_id uuid, OUT expires_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    at        timestamptz;
    booking   bookings;
    chosen    uuid[];
    first     integer := 1;
    place     record;
    free      boolean := false;
BEGIN
    IF p_ttl_s NOT BETWEEN 30 AND 600 THEN
        RAISE EXCEPTION 'A hold lasts 30 to 600 seconds.' USING ERRCODE = '22023';
    END IF;
    PERFORM lock_zone_date(p_table_ids, p_service_date);
    IF p_booking_id IS NOT NULL THEN
        booking := lock_booking(p_booking_id);
        PERFORM require_active(booking);
    END IF;
    -- After the wait for the locks: what expired meanwhile blocks nobody.
    at := coalesce(p_now, clock_timestamp());
    PERFORM limit_holds(p_held_by, p_booking_id, p_max_per_token, p_max_per_booking, at);

    FOR number IN 1 .. cardinality(p_set_sizes) LOOP
        chosen := p_table_ids[first : first + p_set_sizes[number] - 1];
        first := first + p_set_sizes[number];
        place := check_tables(chosen, p_party_size, p_require_adjacency);
        free := claim_room(chosen, p_blocked, NULL, at);
        IF free THEN
            set_no := number;
            EXIT;
        END IF;
    END LOOP;
    IF NOT free THEN
        RAISE EXCEPTION 'The tables are taken at that time; ask for another set or another time.'
            USING ERRCODE = 'CP001';
    END IF;
    IF booking.restaurant_id <> place.restaurant_id THEN
        RAISE EXCEPTION 'The booking is for another restaurant.' USING ERRCODE = 'CP002';
    END IF;

    zone_id := place.zone_id;
    expires_at := at + make_interval(secs => p_ttl_s);
    INSERT INTO table_holds
        (restaurant_id, zone_id, booking_id, table_ids, party_size, start_at, end_at, blocked, service_date,
         require_adjacency, held_by, created_at, expires_at, due_at)
    VALUES
        (place.restaurant_id, place.zone_id, p_booking_id, chosen, p_party_size, p_start_at, p_end_at, p_blocked,
         p_service_date, p_require_adjacency, p_held_by, at, place_hold.expires_at, place_hold.expires_at)
    RETURNING table_holds.hold_id INTO place_hold.hold_id;
    INSERT INTO allocations (restaurant_id, table_id, resource_type, hold_id, blocked, service_date, lapses_at)
    SELECT place.restaurant_id, wanted.table_id, 'hold', place_hold.hold_id, p_blocked, p_service_date,
           place_hold.expires_at
    FROM unnest(chosen) AS wanted (table_id)
    ORDER BY wanted.table_id;
END
$$;

-- A booking's row is held, so its limit is exact; a token's is counted under its own lock once half of it is used.
CREATE FUNCTION limit_holds(
    p_held_by text, p_booking_id uuid, p_max_per_token integer, p_max_per_booking integer, p_at timestamptz)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    live integer;
BEGIN
    IF p_booking_id IS NOT NULL THEN
        SELECT count(*) INTO live FROM table_holds
        WHERE booking_id = p_booking_id AND status = 'held' AND expires_at > p_at;
        IF live >= p_max_per_booking THEN
            RAISE EXCEPTION 'The booking has % live holds already; confirm or release one.', live
                USING ERRCODE = 'CP030';
        END IF;
    END IF;
    SELECT count(*) INTO live FROM (
        SELECT FROM table_holds
        WHERE held_by = p_held_by AND status = 'held' AND expires_at > p_at
        LIMIT p_max_per_token) AS counted;
    IF live > p_max_per_token / 2 AND live < p_max_per_token THEN
        PERFORM pg_advisory_xact_lock(13743424, hashtext('token:' || p_held_by));
        SELECT count(*) INTO live FROM (
            SELECT FROM table_holds
            WHERE held_by = p_held_by AND status = 'held' AND expires_at > p_at
            LIMIT p_max_per_token) AS counted;
    END IF;
    IF live >= p_max_per_token THEN
        RAISE EXCEPTION 'This token has % live holds already; confirm or release some.', live
            USING ERRCODE = 'CP030';
    END IF;
END
$$;

-- From now, for so many seconds; only while it is live.
CREATE FUNCTION extend_hold(p_hold_id uuid, p_seconds integer, p_now timestamptz DEFAULT NULL) RETURNS timestamptz
LANGUAGE plpgsql AS $$
DECLARE
    hold table_holds;
    at   timestamptz;
BEGIN
    IF p_seconds NOT BETWEEN 30 AND 600 THEN
        RAISE EXCEPTION 'A hold lasts 30 to 600 seconds.' USING ERRCODE = '22023';
    END IF;
    SELECT * INTO hold FROM table_holds WHERE hold_id = p_hold_id FOR NO KEY UPDATE;
    at := coalesce(p_now, clock_timestamp());
    PERFORM require_live(hold, at);
    UPDATE table_holds
    SET expires_at = at + make_interval(secs => p_seconds), due_at = at + make_interval(secs => p_seconds)
    WHERE hold_id = p_hold_id;
    UPDATE allocations SET lapses_at = at + make_interval(secs => p_seconds) WHERE hold_id = p_hold_id;
    RETURN at + make_interval(secs => p_seconds);
END
$$;

CREATE FUNCTION require_live(p_hold table_holds, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_hold.hold_id IS NULL THEN
        RAISE EXCEPTION 'There is no such hold.' USING ERRCODE = 'CP040';
    ELSIF p_hold.status = 'confirmed' THEN
        RAISE EXCEPTION 'The hold was confirmed already; it has become a booking.' USING ERRCODE = 'CP002';
    ELSIF p_hold.status = 'released' THEN
        RAISE EXCEPTION 'The hold was released; ask for a new quote.' USING ERRCODE = 'CP010';
    ELSIF p_hold.status = 'expired' OR p_hold.expires_at <= p_at THEN
        RAISE EXCEPTION 'The hold has expired; ask for a new quote.' USING ERRCODE = 'CP010';
    END IF;
END
$$;

-- Gives the tables back. Again, or after its expiry, it changes nothing; the answer says whether this call did it.
CREATE FUNCTION release_hold(p_hold_id uuid, p_now timestamptz DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    hold table_holds;
    at   timestamptz;
BEGIN
    SELECT * INTO hold FROM table_holds WHERE hold_id = p_hold_id FOR NO KEY UPDATE;
    at := coalesce(p_now, clock_timestamp());
    IF hold.hold_id IS NULL OR hold.status = 'confirmed' THEN
        PERFORM require_live(hold, at);
    ELSIF hold.status <> 'held' OR hold.expires_at <= at THEN
        RETURN false;
    END IF;
    UPDATE table_holds SET status = 'released', ended_at = at, due_at = NULL WHERE hold_id = p_hold_id;
    DELETE FROM allocations WHERE hold_id = p_hold_id;
    RETURN true;
END
$$;

-- Writes the first answer down and gives it; a repeat reads it from here.
CREATE FUNCTION keep_answer(
    p_scope_id uuid, p_key text, p_booking_id uuid, p_hold_id uuid, p_table_ids uuid[], p_at timestamptz)
RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    given jsonb;
BEGIN
    SELECT jsonb_build_object(
               'booking_id', p_booking_id,
               'merge_group_id', (array_agg(merge_group_id))[1],
               'assignments', jsonb_agg(jsonb_build_object(
                   'table_id', table_id, 'start_at', lower(blocked), 'end_at', upper(blocked)) ORDER BY table_id))
    INTO given
    FROM allocations
    WHERE booking_id = p_booking_id;
    INSERT INTO booking_assignment_idempotency
        (scope_id, idempotency_key, booking_id, hold_id, table_ids, answer, created_at)
    VALUES (p_scope_id, p_key, p_booking_id, p_hold_id, p_table_ids, given, p_at);
    RETURN given;
END
$$;

-- Turns a hold into assignments of a booking: the hold's, the named one, or a new one.
CREATE FUNCTION confirm_hold_answer(
    p_hold_id uuid, p_booking_id uuid, p_idempotency_key text, p_guest jsonb, p_now timestamptz) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    at      timestamptz;
    hold    table_holds;
    booking bookings;
    kept    booking_assignment_idempotency;
    own_key text := coalesce(p_idempotency_key, gen_random_uuid()::text);
    grouped uuid;
BEGIN
    kept := kept_for_hold(p_hold_id, p_booking_id, own_key);
    IF kept.answer IS NOT NULL THEN
        RETURN kept.answer;
    END IF;
    SELECT * INTO hold FROM table_holds WHERE hold_id = p_hold_id;
    PERFORM lock_zone_date(hold.table_ids, hold.service_date);
    IF coalesce(p_booking_id, hold.booking_id) IS NOT NULL THEN
        booking := lock_booking(coalesce(p_booking_id, hold.booking_id));
    END IF;
    SELECT * INTO hold FROM table_holds WHERE hold_id = p_hold_id FOR NO KEY UPDATE;
    at := coalesce(p_now, clock_timestamp());

    -- Whoever waited for the locks may find the work done.
    kept := kept_for_hold(p_hold_id, p_booking_id, own_key);
    IF kept.answer IS NOT NULL THEN
        RETURN kept.answer;
    END IF;
    PERFORM require_live(hold, at);
    SELECT * INTO kept FROM booking_assignment_idempotency
    WHERE scope_id = coalesce(booking.booking_id, hold.restaurant_id) AND idempotency_key = own_key;
    IF kept.answer IS NOT NULL THEN
        IF booking.booking_id IS NOT NULL AND kept.table_ids @> hold.table_ids AND hold.table_ids @> kept.table_ids THEN
            RETURN kept.answer;
        END IF;
        RAISE EXCEPTION 'This idempotency key was used for other tables; use a new one.' USING ERRCODE = 'CP003';
    END IF;
    PERFORM check_tables(hold.table_ids, coalesce(booking.party_size, hold.party_size), hold.require_adjacency);

    IF booking.booking_id IS NULL THEN
        INSERT INTO bookings
            (restaurant_id, party_size, start_at, end_at, blocked, service_date, status, guest, created_at, updated_at)
        VALUES
            (hold.restaurant_id, hold.party_size, hold.start_at, hold.end_at, hold.blocked, hold.service_date,
             'confirmed', p_guest, at, at)
        RETURNING * INTO booking;
    ELSE
        PERFORM require_active(booking);
        IF booking.booking_id IS DISTINCT FROM coalesce(hold.booking_id, booking.booking_id) THEN
            RAISE EXCEPTION 'The hold was made for another booking.' USING ERRCODE = 'CP002';
        ELSIF booking.restaurant_id <> hold.restaurant_id OR NOT hold.blocked @> booking.blocked THEN
            RAISE EXCEPTION 'The hold is for another restaurant or time than the booking.' USING ERRCODE = 'CP002';
        END IF;
        PERFORM release_holds_of(booking.booking_id, p_hold_id, at);
        PERFORM free_tables_of(booking.booking_id);
        UPDATE bookings
        SET status = CASE WHEN status = 'pending' THEN 'confirmed' ELSE status END,
            guest = CASE WHEN p_guest IS NULL THEN guest ELSE coalesce(guest, '{}') || p_guest END,
            updated_at = at
        WHERE booking_id = booking.booking_id;
    END IF;

    IF cardinality(hold.table_ids) > 1 THEN
        INSERT INTO merge_groups (booking_id, zone_id, created_at)
        VALUES (booking.booking_id, hold.zone_id, at)
        RETURNING merge_group_id INTO grouped;
    END IF;
    UPDATE table_holds
    SET status = 'confirmed', ended_at = at, due_at = NULL, booking_id = booking.booking_id
    WHERE hold_id = p_hold_id;
    UPDATE allocations
    SET resource_type = 'booking', booking_id = booking.booking_id, hold_id = NULL, lapses_at = NULL,
        merge_group_id = grouped
    WHERE hold_id = p_hold_id;
    RETURN keep_answer(
        CASE WHEN p_booking_id IS NULL AND hold.booking_id IS NULL THEN hold.restaurant_id ELSE booking.booking_id END,
        own_key, booking.booking_id, p_hold_id, hold.table_ids, at);
END
$$;

-- The first confirm of a hold, if this is its repeat; another key, or another booking, is somebody else's.
CREATE FUNCTION kept_for_hold(p_hold_id uuid, p_booking_id uuid, p_key text) RETURNS booking_assignment_idempotency
LANGUAGE plpgsql AS $$
DECLARE
    kept booking_assignment_idempotency;
BEGIN
    SELECT * INTO kept FROM booking_assignment_idempotency WHERE hold_id = p_hold_id;
    IF kept.idempotency_key <> p_key THEN
        RAISE EXCEPTION 'The hold was confirmed already, by another request.' USING ERRCODE = 'CP002';
    ELSIF kept.booking_id <> p_booking_id THEN
        RAISE EXCEPTION 'This idempotency key was used for another booking; use a new one.' USING ERRCODE = 'CP003';
    END IF;
    RETURN kept;
END
$$;

CREATE FUNCTION assign_tables_answer(
    p_booking_id uuid, p_table_ids uuid[], p_idempotency_key text, p_require_adjacency boolean, p_now timestamptz)
RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    at      timestamptz;
    booking bookings;
    kept    booking_assignment_idempotency;
    place   record;
    grouped uuid;
    wanted  uuid[] := ARRAY(SELECT DISTINCT table_id FROM unnest(p_table_ids) AS given (table_id) ORDER BY 1);
BEGIN
    SELECT * INTO booking FROM bookings WHERE booking_id = p_booking_id;
    PERFORM lock_zone_date(wanted, booking.service_date);
    booking := lock_booking(p_booking_id);
    at := coalesce(p_now, clock_timestamp());
    SELECT * INTO kept FROM booking_assignment_idempotency
    WHERE scope_id = p_booking_id AND idempotency_key = p_idempotency_key;
    IF kept.answer IS NOT NULL AND kept.table_ids @> wanted AND wanted @> kept.table_ids THEN
        RETURN kept.answer;
    ELSIF kept.answer IS NOT NULL THEN
        RAISE EXCEPTION 'This idempotency key was used for other tables; use a new one.' USING ERRCODE = 'CP003';
    END IF;
    PERFORM require_active(booking);
    place := check_tables(wanted, booking.party_size, p_require_adjacency);
    IF place.restaurant_id <> booking.restaurant_id THEN
        RAISE EXCEPTION 'The tables are of another restaurant than the booking.' USING ERRCODE = 'CP040';
    END IF;

    PERFORM release_holds_of(p_booking_id, NULL, at);
    IF NOT claim_room(wanted, booking.blocked, p_booking_id, at) THEN
        RAISE EXCEPTION 'The tables are taken at that time; choose others.' USING ERRCODE = 'CP001';
    END IF;
    PERFORM free_tables_of(p_booking_id);
    IF cardinality(wanted) > 1 THEN
        INSERT INTO merge_groups (booking_id, zone_id, created_at)
        VALUES (p_booking_id, place.zone_id, at)
        RETURNING merge_group_id INTO grouped;
    END IF;
    INSERT INTO allocations
        (restaurant_id, table_id, resource_type, booking_id, merge_group_id, blocked, service_date)
    SELECT booking.restaurant_id, chosen.table_id, 'booking', p_booking_id, grouped, booking.blocked,
           booking.service_date
    FROM unnest(wanted) AS chosen (table_id)
    ORDER BY chosen.table_id;
    UPDATE bookings SET status = 'confirmed', updated_at = at WHERE booking_id = p_booking_id AND status = 'pending';
    RETURN keep_answer(
        p_booking_id, coalesce(p_idempotency_key, gen_random_uuid()::text), p_booking_id, NULL, wanted, at);
END
$$;

-- The answers as rows, for any client that speaks SQL.
CREATE FUNCTION assign_tables_atomic_v2(
    p_booking_id uuid, p_table_ids uuid[], p_idempotency_key text, p_require_adjacency boolean DEFAULT false,
    p_now timestamptz DEFAULT NULL)
RETURNS TABLE (table_id uuid, start_at timestamptz, end_at timestamptz, merge_group_id uuid)
LANGUAGE sql AS $$
    SELECT claim.table_id, claim.start_at, claim.end_at, (answer ->> 'merge_group_id')::uuid
    FROM assign_tables_answer(p_booking_id, p_table_ids, p_idempotency_key, p_require_adjacency, p_now) AS answer,
         jsonb_to_recordset(answer -> 'assignments')
             AS claim (table_id uuid, start_at timestamptz, end_at timestamptz)
$$;

CREATE FUNCTION confirm_hold(
    p_hold_id uuid, p_idempotency_key text, p_booking_id uuid DEFAULT NULL, p_guest jsonb DEFAULT NULL,
    p_now timestamptz DEFAULT NULL)
RETURNS TABLE (
    booking_id uuid, table_id uuid, start_at timestamptz, end_at timestamptz, merge_group_id uuid)
LANGUAGE sql AS $$
    SELECT (answer ->> 'booking_id')::uuid, claim.table_id, claim.start_at, claim.end_at,
           (answer ->> 'merge_group_id')::uuid
    FROM confirm_hold_answer(p_hold_id, p_booking_id, p_idempotency_key, p_guest, p_now) AS answer,
         jsonb_to_recordset(answer -> 'assignments')
             AS claim (table_id uuid, start_at timestamptz, end_at timestamptz)
$$;

-- Takes the tables away and leaves the booking to be placed again.
CREATE FUNCTION unassign_tables(p_booking_id uuid, p_now timestamptz DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    booking bookings := lock_booking(p_booking_id);
    freed   integer;
BEGIN
    PERFORM require_active(booking);
    freed := free_tables_of(p_booking_id);
    UPDATE bookings
    SET status = 'pending', updated_at = coalesce(p_now, clock_timestamp())
    WHERE booking_id = p_booking_id AND status = 'confirmed';
    RETURN freed;
END
$$;

-- Moves a booking on. Whatever ends without a meal frees its tables and holds at once; a meal that ended early frees
-- the rest of its window.
CREATE FUNCTION set_booking_status(p_booking_id uuid, p_status text, p_now timestamptz DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    booking bookings := lock_booking(p_booking_id);
    at      timestamptz := coalesce(p_now, clock_timestamp());
BEGIN
    IF booking.status = p_status THEN
        RETURN;
    END IF;
    PERFORM require_active(booking);
    PERFORM release_holds_of(p_booking_id, NULL, at) WHERE p_status <> 'seated' AND p_status <> 'confirmed';
    IF p_status IN ('cancelled', 'no_show', 'expired') THEN
        PERFORM free_tables_of(p_booking_id);
    ELSIF p_status = 'completed' THEN
        DELETE FROM allocations WHERE booking_id = p_booking_id AND lower(blocked) >= at;
        UPDATE allocations SET blocked = tstzrange(lower(blocked), at)
        WHERE booking_id = p_booking_id AND upper(blocked) > at;
    END IF;
    UPDATE bookings SET status = p_status, updated_at = at WHERE booking_id = p_booking_id;
END
$$;

-- Changes of what is free, told to the signals below.
CREATE FUNCTION tell_claims_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM floor_changed(slug, service_date)
    FROM (SELECT DISTINCT restaurant_id, service_date FROM changed) AS touched
    JOIN restaurants USING (restaurant_id);
    RETURN NULL;
END
$$;
CREATE TRIGGER tell_claims_inserted AFTER INSERT ON allocations
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_claims_inserted();
CREATE TRIGGER tell_claims_deleted AFTER DELETE ON allocations
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_claims_inserted();

-- A hold that becomes a booking frees nothing and takes nothing.
CREATE FUNCTION tell_claims_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM floor_changed(slug, service_date)
    FROM (SELECT DISTINCT side.restaurant_id, side.service_date
          FROM before
          JOIN after USING (allocation_id)
          CROSS JOIN LATERAL (VALUES (before.restaurant_id, before.service_date),
                                     (after.restaurant_id, after.service_date)) AS side (restaurant_id, service_date)
          WHERE (before.table_id, before.service_date) <> (after.table_id, after.service_date)) AS touched
    JOIN restaurants USING (restaurant_id);
    RETURN NULL;
END
$$;
CREATE TRIGGER tell_claims_moved AFTER UPDATE ON allocations
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tell_claims_moved();

CREATE FUNCTION tell_floor_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM floor_changed(slug, NULL)
    FROM (SELECT DISTINCT restaurant_id FROM changed) AS touched
    JOIN restaurants USING (restaurant_id);
    RETURN NULL;
END
$$;
CREATE TRIGGER tell_tables_added AFTER INSERT ON table_inventory
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_floor_changed();
CREATE TRIGGER tell_tables_changed AFTER UPDATE ON table_inventory
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_floor_changed();

-- The truth of a product that stands on a floor: the tables in use, and those that nobody claims on that date.
CREATE OR REPLACE FUNCTION floor_truth(restaurant text, service_date date, measure text)
RETURNS TABLE (capacity integer, free integer)
LANGUAGE sql STABLE STRICT ROWS 1
AS $$
    SELECT coalesce(sum(worth), 0)::integer,
           coalesce(sum(worth) FILTER (WHERE NOT EXISTS (
               SELECT FROM allocations AS claim
               WHERE claim.restaurant_id = tables.restaurant_id
                 AND claim.service_date = floor_truth.service_date
                 AND claim.table_id = tables.table_id)), 0)::integer
    FROM (
        SELECT place.restaurant_id, place.table_id,
               CASE measure WHEN 'tables' THEN 1 ELSE place.capacity END AS worth
        FROM restaurants
        JOIN table_inventory AS place USING (restaurant_id)
        WHERE restaurants.slug = floor_truth.restaurant AND place.active AND place.removed_at IS NULL
    ) AS tables
    HAVING EXISTS (SELECT FROM restaurants WHERE slug = floor_truth.restaurant)
$$;
