"""Own inventory in bulk, made by the database itself: products, their dates, and by their trigger the signals."""

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
WHERE product_no NOT IN (SELECT DISTINCT product_no FROM product_date)
ORDER BY product_no, day
"""


def inventory(signals: int, *, days: int = 365, first: int = 1) -> list[str]:
    """Statements that store about that many signals, in products of `days` dates each from today on."""
    products = max(1, signals // days)
    return [_PRODUCTS.format(products=products, days=days, first=first), _DATES.format(days=days)]
