-- Products, their dates (the truth) and the signals that cache it. See dibs/signals/__init__.py.

-- The schedules. `due_at` is null for a cadence that only ticks from outside.
CREATE TABLE cadence (
    cadence_id     text PRIMARY KEY CHECK (cadence_id <> ''),
    interval_s     double precision NOT NULL CHECK (interval_s > 0),
    due_at         timestamptz,
    lease_token    uuid,
    lease_until    timestamptz,
    leased_by      text,
    last_tick_at   timestamptz,
    last_seconds   double precision,
    last_checked   integer,
    last_estimated integer,
    last_changed   integer,
    last_skipped   integer
);

CREATE TABLE product (
    product_no       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    collection_id    text NOT NULL,
    activity_type    text NOT NULL,
    activity_id      text NOT NULL,
    product_id       text NOT NULL,
    product_key      text NOT NULL
        GENERATED ALWAYS AS (collection_id || '::' || activity_type || '::' || activity_id || '::' || product_id) STORED
        UNIQUE,
    name             text NOT NULL,
    timezone         text NOT NULL,
    -- The capacity of a date that has none of its own.
    capacity         integer NOT NULL CHECK (capacity >= 0),
    range_start      date NOT NULL,
    range_end        date NOT NULL,
    -- Set: the product stands on a restaurant's floor, and the floor is the truth.
    floor_restaurant text,
    floor_measure    text CHECK (floor_measure IN ('tables', 'covers')),
    pattern          jsonb NOT NULL,
    cadence_id       text NOT NULL,
    -- The pattern's tiers as `tier_of` reads them, the highest first; null for exact.
    tiers_down       text[],
    cuts_down        double precision[],
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    CHECK (range_start <= range_end),
    CHECK ((floor_restaurant IS NULL) = (floor_measure IS NULL)),
    CHECK (cardinality(tiers_down) = cardinality(cuts_down))
);
CREATE INDEX product_by_cadence ON product (cadence_id);
CREATE INDEX product_by_floor ON product (floor_restaurant) WHERE floor_restaurant IS NOT NULL;

-- The truth. Whoever allocates or releases holds this row, and nothing else that others wait for.
CREATE TABLE product_date (
    product_no   bigint NOT NULL REFERENCES product ON DELETE CASCADE,
    date         date NOT NULL,
    capacity     integer NOT NULL CHECK (capacity >= 0),
    -- Set by hand for this date: an edit of the product leaves it alone.
    own_capacity boolean NOT NULL DEFAULT false,
    -- The sum of the live allocations, kept by their trigger. It may exceed a capacity that was lowered.
    allocated    integer NOT NULL DEFAULT 0 CHECK (allocated >= 0),
    seeded_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (product_no, date)
) WITH (fillfactor = 80);

CREATE TABLE allocation (
    product_no      bigint NOT NULL,
    date            date NOT NULL,
    reference       text NOT NULL CHECK (reference <> ''),
    quantity        integer NOT NULL CHECK (quantity > 0),
    allocated_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    released_at     timestamptz,
    PRIMARY KEY (product_no, date, reference),
    FOREIGN KEY (product_no, date) REFERENCES product_date
) WITH (fillfactor = 90);

-- The cache. `changes` counts what happened to the date, `seen` how much of it the cached answer includes; the
-- signal is dirty while they differ, so an estimate can only clear what it has seen.
CREATE TABLE availability_signal (
    product_no      bigint NOT NULL,
    date            date NOT NULL,
    global_id       uuid NOT NULL DEFAULT gen_random_uuid(),
    cadence_id      text NOT NULL,
    available       integer NOT NULL CHECK (available >= 0),
    capacity        integer NOT NULL CHECK (capacity >= 0),
    tier            text,
    -- Why nothing is available; null while something is.
    reason          text CHECK (reason IN ('sold_out', 'over_allocated', 'no_capacity', 'out_of_range', 'no_floor')),
    changes         bigint NOT NULL DEFAULT 0,
    seen            bigint NOT NULL DEFAULT 0,
    -- Generated, and the only part of the counters that an index knows: a change of a signal that is already dirty
    -- rewrites no index.
    dirty           boolean NOT NULL GENERATED ALWAYS AS (changes <> seen) STORED,
    version         bigint NOT NULL DEFAULT 1,
    -- How often it went from nothing to something, and when it last did (or was seeded with something).
    generation      integer NOT NULL DEFAULT 0,
    opened_at       timestamptz,
    last_updated_at timestamptz NOT NULL,
    expiry          timestamptz NOT NULL,
    -- Past its expiry and told so to the hub; the row waits for the end of its retention.
    ended           boolean NOT NULL DEFAULT false,
    PRIMARY KEY (product_no, date),
    FOREIGN KEY (product_no, date) REFERENCES product_date ON DELETE CASCADE,
    CHECK (seen <= changes),
    CHECK ((reason IS NULL) = (available > 0))
) WITH (fillfactor = 70);
CREATE INDEX availability_signal_dirty ON availability_signal (cadence_id, product_no, date) WHERE dirty;
CREATE INDEX availability_signal_expiry ON availability_signal (expiry) WHERE NOT ended;
CREATE INDEX availability_signal_ended ON availability_signal (expiry) WHERE ended;
CREATE UNIQUE INDEX availability_signal_global_id ON availability_signal (global_id);

-- Changes of restaurant floors. Append-only: two parties at two tables of one evening hold no row in common, so
-- a shared counter would make them wait for each other. A tick folds them into the counters of the signals.
CREATE TABLE floor_change (
    floor_change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    restaurant      text NOT NULL,
    -- Null: every date, because the floor itself was changed.
    service_date    date
);
CREATE INDEX floor_change_by_date ON floor_change (restaurant, service_date);

-- What `capacity` calls from its triggers at every change of a claim or a hold (both dates when one is moved),
-- and with null when the floor itself changes. It is recorded although no product may stand there: one may be
-- in the making in a transaction that this one cannot see.
CREATE FUNCTION floor_changed(restaurant text, service_date date) RETURNS void
LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO floor_change (restaurant, service_date) VALUES ($1, $2);
END;

-- What a floor has on a date, in free `tables` or `covers`; no row when there is no such floor. `capacity` replaces
-- this with the real one (CREATE OR REPLACE, the same signature). It must be STABLE (it then sees what the counters
-- of the same statement see), STRICT (it is called with null for every plain pool), and depend on rows only, not
-- on the time: a hold counts until its row is gone, or a clean signal could differ from the truth without a change.
CREATE FUNCTION floor_truth(restaurant text, service_date date, measure text)
RETURNS TABLE (capacity integer, free integer)
LANGUAGE plpgsql STABLE STRICT ROWS 1
AS $$
BEGIN
END
$$;

-- The first moment of a date in a zone. Midnight can be skipped (the day then starts with the jump) or come twice
-- (the day starts with the first one, PostgreSQL's own choice is the second).
CREATE FUNCTION start_of_date(day date, zone text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN ((day::timestamp AT TIME ZONE zone - interval '1 hour') AT TIME ZONE zone)::date = day
        THEN day::timestamp AT TIME ZONE zone - interval '1 hour'
    ELSE day::timestamp AT TIME ZONE zone
END;

-- The first tier, from the lowest, whose upper bound is not below available/capacity. `cuts_down` are the negated
-- bounds from the highest tier down, so that width_bucket counts the tiers that reach that high.
CREATE FUNCTION tier_of(tiers_down text[], cuts_down double precision[], available integer, capacity integer)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tiers_down[greatest(1, width_bucket(
    CASE WHEN capacity > 0 THEN -(available::double precision / capacity) ELSE 0 END, cuts_down))];

-- What is really there, for every date of every product: the one definition that seeding, estimating, fresh reads
-- and the audit share.
CREATE VIEW product_date_truth AS
SELECT inventory.product_no,
       inventory.date,
       room.capacity,
       room.available,
       tier_of(product.tiers_down, product.cuts_down, room.available, room.capacity) AS tier,
       CASE
           WHEN room.available > 0 THEN NULL
           WHEN NOT room.in_range THEN 'out_of_range'
           WHEN product.floor_restaurant IS NOT NULL AND ground.capacity IS NULL THEN 'no_floor'
           WHEN inventory.allocated > room.capacity THEN 'over_allocated'
           WHEN room.capacity = 0 THEN 'no_capacity'
           ELSE 'sold_out'
       END AS reason
FROM product_date AS inventory
JOIN product ON product.product_no = inventory.product_no
LEFT JOIN LATERAL floor_truth(product.floor_restaurant, inventory.date, product.floor_measure) AS ground ON true
CROSS JOIN LATERAL (
    SELECT inventory.date BETWEEN product.range_start AND product.range_end AS in_range,
           CASE WHEN product.floor_restaurant IS NULL THEN inventory.capacity ELSE coalesce(ground.capacity, 0) END
               AS capacity,
           CASE
               WHEN inventory.date NOT BETWEEN product.range_start AND product.range_end THEN 0
               WHEN product.floor_restaurant IS NULL THEN greatest(inventory.capacity - inventory.allocated, 0)
               ELSE greatest(coalesce(ground.free, 0), 0)
           END AS available
) AS room;

-- A new date brings its signal, estimated and clean. On a floor it starts dirty: a booking that commits while the
-- product is being made may have been seen by neither side.
CREATE FUNCTION seed_signals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO availability_signal
        (product_no, date, cadence_id, available, capacity, tier, reason, changes, opened_at, last_updated_at,
         expiry)
    SELECT seeded.product_no, seeded.date, product.cadence_id, truth.available, truth.capacity, truth.tier,
           truth.reason, (product.floor_restaurant IS NOT NULL)::integer,
           CASE WHEN truth.available > 0 THEN seeded.seeded_at END, seeded.seeded_at,
           start_of_date(seeded.date + 1, product.timezone)
    FROM seeded
    JOIN product USING (product_no)
    JOIN product_date_truth AS truth ON truth.product_no = seeded.product_no AND truth.date = seeded.date;
    RETURN NULL;
END
$$;
CREATE TRIGGER seed_signals AFTER INSERT ON product_date
    REFERENCING NEW TABLE AS seeded FOR EACH STATEMENT EXECUTE FUNCTION seed_signals();

-- Every change of a date is counted in the transaction that makes it. Its row is held already, so whoever waits for
-- the signal would have waited for the date.
CREATE FUNCTION mark_signal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE availability_signal SET changes = changes + 1
    WHERE product_no = NEW.product_no AND date = NEW.date;
    RETURN NULL;
END
$$;
CREATE TRIGGER mark_signal AFTER UPDATE ON product_date FOR EACH ROW
    WHEN (OLD.capacity <> NEW.capacity OR OLD.allocated <> NEW.allocated)
    EXECUTE FUNCTION mark_signal();

-- The allocations are the record, the sum on the date follows, whoever writes them.
CREATE FUNCTION count_allocation() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before integer := 0;
    after  integer := 0;
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.released_at IS NULL THEN
        before := OLD.quantity;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.released_at IS NULL THEN
        after := NEW.quantity;
    END IF;
    IF TG_OP = 'UPDATE' AND (OLD.product_no, OLD.date) <> (NEW.product_no, NEW.date) THEN
        UPDATE product_date SET allocated = allocated - before WHERE product_no = OLD.product_no AND date = OLD.date;
        before := 0;
    END IF;
    IF after <> before THEN
        UPDATE product_date SET allocated = allocated + after - before
        WHERE product_no = coalesce(NEW.product_no, OLD.product_no) AND date = coalesce(NEW.date, OLD.date);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER count_allocation AFTER INSERT OR UPDATE OR DELETE ON allocation
    FOR EACH ROW EXECUTE FUNCTION count_allocation();

-- A product's own change counts for the dates whose answer it can change.
CREATE FUNCTION mark_product() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    everywhere boolean := (OLD.tiers_down, OLD.cuts_down, OLD.floor_restaurant, OLD.floor_measure)
        IS DISTINCT FROM (NEW.tiers_down, NEW.cuts_down, NEW.floor_restaurant, NEW.floor_measure);
BEGIN
    UPDATE availability_signal SET changes = changes + 1
    WHERE product_no = NEW.product_no
      AND (everywhere OR (date BETWEEN OLD.range_start AND OLD.range_end)
                      <> (date BETWEEN NEW.range_start AND NEW.range_end));
    UPDATE availability_signal
    SET cadence_id = NEW.cadence_id, expiry = start_of_date(date + 1, NEW.timezone), ended = false
    WHERE product_no = NEW.product_no AND (OLD.cadence_id, OLD.timezone) <> (NEW.cadence_id, NEW.timezone);
    RETURN NULL;
END
$$;
CREATE TRIGGER mark_product AFTER UPDATE ON product FOR EACH ROW EXECUTE FUNCTION mark_product();
