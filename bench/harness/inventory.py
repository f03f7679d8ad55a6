"""Own inventory in bulk, made by the database itself: products, their dates and their signals."""

from __future__ import annotations

# The tiers of the contract's example, as the schema keeps them.
_PRODUCTS = """
INSERT INTO product (collection_id, activity_type, activity_id, product_id, name, timezone, capacity, range_start,
                     range_end, pattern, cadence_id, tiers_down, cuts_down, created_at, updated_at)
SELECT 'parks', 'camping', 'lake', 'site-' || n, 'Site ' || n, 'America/New_York', 10, current_date,
       current_date + {days} - 1,
       '{{"estimation_mode": "tiered", "cadence": {{"id": "5min", "label": "Every 5 minutes"}}}}', '5min',
       '{{high,medium,low,full}}', '{{-1,-0.75,-0.25,0}}', now(), now()
FROM generate_series({first}, {first} + {products} - 1) AS n
"""
_DATES = """
INSERT INTO product_date (product_no, date, capacity)
SELECT product_no, current_date + day, capacity
FROM product, generate_series(0, {days} - 1) AS day
WHERE product_no > (SELECT coalesce(max(product_no), 0) FROM product_date)
ORDER BY product_no, day
"""
# What the trigger of `product_date` does, without one check of a foreign key per row.
_SIGNALS = """
INSERT INTO availability_signal (product_no, date, cadence_id, available, capacity, tier, reason, opened_at,
                                 last_updated_at, expiry)
SELECT truth.product_no, truth.date, product.cadence_id, truth.available, truth.capacity, truth.tier, truth.reason,
       now(), now(), start_of_date(truth.date + 1, product.timezone)
FROM product_date_truth AS truth
JOIN product USING (product_no)
WHERE truth.product_no > (SELECT coalesce(max(product_no), 0) FROM availability_signal)
ORDER BY truth.product_no, truth.date
"""
_WITHOUT_TRIGGERS = "SET session_replication_role = replica"
_WITH_TRIGGERS = "SET session_replication_role = origin"
# An index that is made at the end costs a tenth of one that is kept up to date by a million random entries.
_WITHOUT_INDEXES = """
DO $$
DECLARE
    index record;
BEGIN
    CREATE TEMP TABLE IF NOT EXISTS index_for_later (name text, definition text);
    INSERT INTO index_for_later SELECT indexname, indexdef FROM pg_indexes
    WHERE tablename = 'availability_signal' AND indexname <> 'availability_signal_pkey';
    FOR index IN SELECT name FROM index_for_later LOOP
        EXECUTE format('DROP INDEX %I', index.name);
    END LOOP;
END $$
"""
_WITH_INDEXES = """
DO $$
DECLARE
    index record;
BEGIN
    FOR index IN SELECT definition FROM index_for_later LOOP
        EXECUTE index.definition;
    END LOOP;
    DROP TABLE index_for_later;
END $$
"""


def inventory(signals: int, *, days: int = 365, first: int = 1) -> list[str]:
    """Statements that store about that many signals, in products of `days` dates each from today on."""
    values = {"products": max(1, signals // days), "days": days, "first": first}
    products, dates, made = (statement.format(**values) for statement in (_PRODUCTS, _DATES, _SIGNALS))
    # Without knowing how many rows there are, the planner joins a million of them one by one.
    steps = [products, "ANALYZE product", dates, "ANALYZE product_date", made]
    return [_WITHOUT_TRIGGERS, _WITHOUT_INDEXES, *steps, _WITH_INDEXES, _WITH_TRIGGERS]
