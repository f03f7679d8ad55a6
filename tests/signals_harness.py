"""What the tests of own inventory share: a product, its body over HTTP, an oracle for tiers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date
from typing import Any

from dibs.db import Database
from dibs.parts import Parts
from dibs.signals.model import CadenceBucket, Floor, Pattern, ProductKey, ProductPlan, Tick, Tier
from dibs.signals.put import put_product
from dibs.signals.tick import tick

KEY = ProductKey("parks", "camping", "lake", "site-a")
URL = "/api/products/parks/camping/lake/site-a"
CADENCE = "5min"
TIERS = [
    Tier(id="full", label="Full", max_percentage=0.0),
    Tier(id="low", label="Low", max_percentage=0.25),
    Tier(id="medium", label="Medium", max_percentage=0.75),
    Tier(id="high", label="High", max_percentage=1.0),
]
# The fake clock starts on 2 March 2026.
FIRST = date(2026, 3, 10)
LAST = date(2026, 3, 19)
DAY = date(2026, 3, 12)


def pattern(mode: str = "exact", *, cadence: str = CADENCE, tiers: Sequence[Tier] | None = None) -> Pattern:
    chosen = list(TIERS if tiers is None else tiers) if mode == "tiered" else []
    return Pattern(
        estimation_mode="tiered" if mode == "tiered" else "exact",
        cadence=CadenceBucket(id=cadence, label="Every 5 minutes"),
        tiers=chosen,
    )


def plan(
    mode: str = "exact",
    *,
    capacity: int = 10,
    first: date = FIRST,
    last: date = LAST,
    timezone: str = "America/New_York",
    cadence: str = CADENCE,
    floor: Floor | None = None,
    tiers: Sequence[Tier] | None = None,
) -> ProductPlan:
    return ProductPlan(
        name="Site A",
        timezone=timezone,
        capacity=capacity,
        range_start=first,
        range_end=last,
        pattern=pattern(mode, cadence=cadence, tiers=tiers),
        floor=floor,
    )


def body(mode: str = "exact", **changes: Any) -> dict[str, Any]:
    """A product as a client sends it."""
    tiers = [{"id": tier.id, "label": tier.label, "max_percentage": tier.max_percentage} for tier in TIERS]
    document: dict[str, Any] = {
        "name": "Site A",
        "timezone": "America/New_York",
        "capacity": 10,
        "range_start": FIRST.isoformat(),
        "range_end": LAST.isoformat(),
        "availability_estimation_pattern": {
            "estimation_mode": mode,
            "cadence": {"id": CADENCE, "label": "Every 5 minutes"},
            **({"tiers": tiers} if mode == "tiered" else {}),
        },
    }
    return document | changes


async def put(parts: Parts, what: ProductPlan | None = None, key: ProductKey = KEY) -> int:
    """Puts a product and gives its number."""
    product, _ = await put_product(parts.db, parts.clock, key, what or plan(), parts.config.signals.schedule().keys())
    return product.product_no


async def tick_now(parts: Parts, cadence: str = CADENCE, **options: Any) -> Tick:
    return await tick(parts.db, parts.clock, cadence, parts.config.signals.schedule(), **options)


async def run_sql(database: Database, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Raw SQL, as somebody with psql would run it."""
    async with database.connection() as connection:
        cursor = await connection.execute(statement.encode(), values)
        return await cursor.fetchall() if cursor.description else []


async def signal_of(database: Database, day: date = DAY) -> dict[str, Any]:
    """The stored signal of a date."""
    columns = "available, capacity, tier, reason, changes, seen, dirty, version, generation, last_updated_at, expiry"
    (row,) = await run_sql(database, f"SELECT {columns} FROM availability_signal WHERE date = %s", [day])
    return dict(zip(columns.split(", "), row, strict=True))


def expected_tier(tiers: Sequence[Tier], available: int, capacity: int) -> str:
    """The rule in words of one line each; the product has it in SQL."""
    share = available / capacity if capacity else 0.0
    for tier in tiers:
        if tier.max_percentage >= share:
            return tier.id
    return tiers[-1].id


async def differing(database: Database) -> list[tuple[Any, ...]]:
    """Signals whose cached answer is not the truth, clean or dirty."""
    return await run_sql(
        database,
        "SELECT signal.product_no, signal.date, signal.available, truth.available, signal.dirty, signal.changes, "
        "signal.seen FROM availability_signal AS signal JOIN product_date_truth AS truth USING (product_no, date) "
        "WHERE (signal.available, signal.capacity, signal.tier, signal.reason) "
        "IS DISTINCT FROM (truth.available, truth.capacity, truth.tier, truth.reason)",
    )


async def until_waiting(database: Database) -> None:
    """Until some connection of this database waits for a lock."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with asyncio.timeout(30):
        while (await run_sql(database, waiting))[0][0] == 0:
            await asyncio.sleep(0.01)
