"""Gives an allocation back, once."""

from __future__ import annotations

from datetime import date

from dibs.clock import Clock
from dibs.db import Database
from dibs.errors import Conflict, NotFound
from dibs.signals import rules, store
from dibs.signals.model import Allocation, ProductKey
from dibs.telemetry import metrics_signals as metrics


async def release(
    database: Database, clock: Clock, key: ProductKey, day: date, *, reference: str, quantity: int | None = None
) -> Allocation:
    """The allocation that `reference` names, released now unless it was before."""
    rules.check_text("reference", reference)
    if quantity is not None:
        rules.check_quantity(quantity)
    async with database.connection() as connection:
        found = await store.release(
            connection,
            product_key=str(key),
            date=day,
            reference=reference,
            quantity=quantity,
            now=clock.for_database(),
        )
        if found and found.released_at is None and (quantity is None or found.quantity == quantity):
            # Released by somebody else between our look and our write; look again.
            found = await store.release(
                connection,
                product_key=str(key),
                date=day,
                reference=reference,
                quantity=quantity,
                now=clock.for_database(),
            )
    if found is None:
        raise NotFound(f"Nothing is allocated as {reference!r} on {day} of {key}.")
    if quantity is not None and found.quantity != quantity:
        metrics.ALLOCATIONS.labels("release", "reference_mismatch").inc()
        raise Conflict(
            f"The reference {reference!r} names an allocation of {found.quantity}, not of {quantity}.",
            code="reference_mismatch",
        )
    metrics.ALLOCATIONS.labels("release", "released").inc()
    return Allocation(
        reference=found.reference,
        date=found.date,
        quantity=found.quantity,
        state="released",
        allocated_at=found.allocated_at,
        released_at=found.released_at,
    )
