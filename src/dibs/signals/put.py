"""Makes or changes a product; its dates and signals follow."""

from __future__ import annotations

from collections.abc import Collection

from dibs.clock import Clock
from dibs.db import Database, Keyspace, advisory_lock
from dibs.signals import rules, store
from dibs.signals.announce import announce, baseline, read_edges
from dibs.signals.model import ProductKey, ProductPlan, Seeded
from dibs.signals.store import PutProduct
from dibs.telemetry import emit
from dibs.telemetry import events_signals as events


async def put_product(
    database: Database, clock: Clock, key: ProductKey, plan: ProductPlan, cadences: Collection[str]
) -> tuple[PutProduct, Seeded]:
    """The product as `plan` says: dates are seeded, resized or removed, and what is allocated stays."""
    rules.check_key(key)
    rules.check_plan(plan, cadences)
    now = clock.now()
    async with database.transaction() as connection:
        await advisory_lock(connection, Keyspace.PRODUCT, str(key))
        await store.lock_dates(connection, product_key=str(key))
        product = await store.put_product(connection, key=key, plan=plan, now=now)
        dates = await store.seed_dates(connection, product_no=product.product_no, now=now)
        await announce(connection, read_edges(dates.edges), now)
        if dates.seeded_dates:
            seeded = await store.edges_of_dates(
                connection, product_no=product.product_no, dates=dates.seeded_dates, now=now
            )
            await baseline(connection, seeded, now)
    counts = Seeded(seeded=len(dates.seeded_dates), resized=dates.resized, removed=dates.removed, kept=dates.kept)
    emit(events.PRODUCT_PUT, product=product.product_key, created=product.created, seeded=counts.seeded)
    return product, counts
