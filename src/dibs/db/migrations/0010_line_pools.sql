-- A place in line can wait for a quantity of a product on one of some dates, not only for a table. See dibs/offers.

-- Every line has a name: a restaurant's day, or a product. Its places stand in one order.
ALTER TABLE line_place
    ADD COLUMN line_key      text,
    ADD COLUMN product_no    bigint,
    -- The product's key, kept here: what somebody waited for can be told after the product is gone.
    ADD COLUMN product_key   text,
    ADD COLUMN quantity      integer CHECK (quantity > 0),
    ADD COLUMN earliest_date date,
    ADD COLUMN latest_date   date,
    -- When there is nothing left to wait for.
    ADD COLUMN until         timestamptz,
    ALTER COLUMN restaurant_id DROP NOT NULL,
    ALTER COLUMN service_date DROP NOT NULL,
    ALTER COLUMN party_size DROP NOT NULL;
UPDATE line_place SET line_key = restaurant_id || ':' || service_date, until = latest;
ALTER TABLE line_place
    ALTER COLUMN line_key SET NOT NULL,
    ALTER COLUMN until SET NOT NULL,
    ADD CONSTRAINT line_place_floor_or_pool CHECK (
        CASE WHEN product_no IS NULL
            THEN num_nulls(restaurant_id, service_date, party_size) = 0
                 AND num_nonnulls(product_key, quantity, earliest_date, latest_date) = 0
            ELSE num_nulls(product_key, quantity, earliest_date, latest_date) = 0
                 AND num_nonnulls(restaurant_id, service_date, party_size) = 0
        END),
    ADD CONSTRAINT line_place_dates CHECK (latest_date >= earliest_date);

DROP INDEX line_place_live;
DROP INDEX line_place_order;
CREATE UNIQUE INDEX line_place_live ON line_place (line_key, channel, address_key)
    WHERE status IN ('waiting', 'offered');
CREATE INDEX line_place_order ON line_place (line_key, rank, place_id) WHERE status IN ('waiting', 'offered');
-- What the triggers ask: does anybody wait here?
CREATE INDEX line_place_by_floor ON line_place (restaurant_id, service_date)
    WHERE status IN ('waiting', 'offered') AND restaurant_id IS NOT NULL;
CREATE INDEX line_place_by_pool ON line_place (product_no, latest_date, earliest_date)
    WHERE status IN ('waiting', 'offered') AND product_no IS NOT NULL;
-- Places that are over, and whose times or dates are over too: until then their claim page says what the person has.
CREATE INDEX line_place_over ON line_place ((greatest(ended_at, until))) WHERE ended_at IS NOT NULL;

-- On a pool an offer is kept by the allocation whose reference is the offer's id; it has no hold and no booking.
ALTER TABLE offer
    ADD COLUMN product_no bigint,
    ADD COLUMN quantity   integer CHECK (quantity > 0),
    ALTER COLUMN restaurant_id DROP NOT NULL,
    ALTER COLUMN hold_id DROP NOT NULL,
    ALTER COLUMN party_size DROP NOT NULL,
    DROP CONSTRAINT offer_check1,
    ADD CONSTRAINT offer_floor_or_pool CHECK (
        CASE WHEN product_no IS NULL
            THEN num_nulls(restaurant_id, hold_id, party_size) = 0 AND quantity IS NULL
            ELSE quantity IS NOT NULL AND num_nonnulls(restaurant_id, hold_id, party_size, booking_id) = 0
        END),
    ADD CONSTRAINT offer_booked_when_claimed CHECK (
        (status = 'claimed' AND product_no IS NULL) = (booking_id IS NOT NULL));

ALTER TABLE line_check
    ADD COLUMN product_no bigint,
    ALTER COLUMN restaurant_id DROP NOT NULL,
    ALTER COLUMN service_date DROP NOT NULL;

-- An offer with whom and what it is for. A product that was removed leaves its key as a name.
CREATE VIEW offer_with_place AS
SELECT offer.offer_id, offer.place_id, place.line_key, offer.restaurant_id, restaurants.slug AS restaurant,
       offer.product_no, place.product_key AS product,
       coalesce(restaurants.name, product.name, place.product_key) AS name,
       coalesce(restaurants.timezone, product.timezone, 'UTC') AS timezone,
       offer.hold_id, offer.slot_id, offer.table_numbers, offer.party_size, offer.quantity, offer.start_at,
       offer.end_at, offer.service_date, offer.status, offer.offered_at, offer.expires_at, offer.ended_at,
       offer.booking_id, offer.open_event_id, place.topic, place.status AS place_status, place.lapses, place.guest
FROM offer
JOIN line_place AS place ON place.place_id = offer.place_id
LEFT JOIN restaurants ON restaurants.restaurant_id = offer.restaurant_id
LEFT JOIN product ON product.product_no = offer.product_no;

-- As before, for a restaurant's day (all days: null); the key is the one its places have.
CREATE OR REPLACE FUNCTION ask_line(p_restaurant_id uuid, p_service_date date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO line_check AS known (check_key, restaurant_id, service_date, due_at)
    SELECT DISTINCT line_key, restaurant_id, service_date, '-infinity'::timestamptz
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

-- Asks for a look at a product's line, if somebody waits for one of the dates (null: any date).
CREATE FUNCTION ask_pool_line(p_product_no bigint, p_first date, p_last date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO line_check AS known (check_key, product_no, due_at)
    SELECT line_key, product_no, '-infinity'::timestamptz
    FROM line_place
    WHERE product_no = p_product_no
      AND latest_date >= coalesce(p_first, '-infinity')
      AND earliest_date <= coalesce(p_last, 'infinity')
      AND status IN ('waiting', 'offered')
    LIMIT 1
    ON CONFLICT (check_key) DO UPDATE SET changes = known.changes + 1, due_at = excluded.due_at
    -- One mark per transaction: a new capacity of a product touches every one of its dates.
    WHERE known.due_at IS DISTINCT FROM excluded.due_at OR known.xmin <> pg_current_xact_id()::xid;
    IF FOUND THEN
        PERFORM pg_notify('dibs_line', '');
    END IF;
END
$$;

-- Per row and behind a condition: taking something, which is the hot way, costs the condition and no call.
CREATE FUNCTION ask_line_for_date() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ask_pool_line(NEW.product_no, NEW.date, NEW.date);
    RETURN NULL;
END
$$;
CREATE TRIGGER ask_line_date_freed AFTER UPDATE ON product_date FOR EACH ROW
    WHEN (NEW.capacity - NEW.allocated > OLD.capacity - OLD.allocated AND NEW.capacity > NEW.allocated)
    EXECUTE FUNCTION ask_line_for_date();

CREATE FUNCTION ask_line_for_dates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ask_pool_line(product_no, first, last)
    FROM (SELECT product_no, min(date) AS first, max(date) AS last
          FROM changed WHERE capacity > allocated GROUP BY product_no ORDER BY product_no) AS touched;
    RETURN NULL;
END
$$;
CREATE TRIGGER ask_line_dates_added AFTER INSERT ON product_date
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ask_line_for_dates();

-- Dates that were kept outside the range may be inside again; a product that is gone or went to a floor ends its line.
CREATE FUNCTION ask_line_for_product() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ask_pool_line(OLD.product_no, NULL, NULL);
    RETURN NULL;
END
$$;
CREATE TRIGGER ask_line_product_changed AFTER UPDATE ON product FOR EACH ROW
    WHEN ((OLD.range_start, OLD.range_end, OLD.floor_restaurant)
          IS DISTINCT FROM (NEW.range_start, NEW.range_end, NEW.floor_restaurant))
    EXECUTE FUNCTION ask_line_for_product();
CREATE TRIGGER ask_line_product_removed AFTER DELETE ON product FOR EACH ROW
    EXECUTE FUNCTION ask_line_for_product();
