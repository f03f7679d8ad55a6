"""Takes a quantity of one date, under a reference that can be repeated safely."""

from __future__ import annotations

from datetime import date

import psycopg

from dibs.clock import Clock
from dibs.db import Database
from dibs.errors import Conflict, NotFound
from dibs.signals import rules, store
from dibs.signals.model import Allocation, ProductKey
from dibs.telemetry import metrics_signals as metrics


async def allocate(
    database: Database, clock: Clock, key: ProductKey, day: date, *, reference: str, quantity: int
) -> Allocation:
    """The allocation that `reference` names, made now unless it exists."""
    rules.check_text("reference", reference)
    rules.check_quantity(quantity)
    found = await _try(database, clock, key, day, reference, quantity)
    if found is None or not found.seeded:
        raise NotFound(f"There is no date {day} of a product {key}.")
    if found.reference is None or found.quantity is None or found.allocated_at is None:
        raise _refusal(found, key, day, quantity)
    if found.quantity != quantity:
        metrics.ALLOCATIONS.labels("allocate", "reference_mismatch").inc()
        raise Conflict(
            f"The reference {reference!r} names an allocation of {found.quantity}, not of {quantity}.",
            code="reference_mismatch",
        )
    metrics.ALLOCATIONS.labels("allocate", "allocated").inc()
    return Allocation(
        reference=found.reference,
        date=day,
        quantity=found.quantity,
        state="released" if found.released_at else "allocated",
        allocated_at=found.allocated_at,
        released_at=found.released_at,
    )


async def _try(
    database: Database, clock: Clock, key: ProductKey, day: date, reference: str, quantity: int
) -> store.Allocate | None:
    async def once() -> store.Allocate | None:
        return await store.allocate(
            connection,
            product_key=str(key),
            date=day,
            reference=reference,
            quantity=quantity,
            now=clock.for_database(),
        )

    async with database.connection() as connection:
        try:
            found = await once()
        except psycopg.errors.UniqueViolation:
            found = None
        # The same reference may have been allocated while we waited for the date, and taken the last that was left:
        # what the statement saw is older than that. Another look has the answer.
        return found if found and found.reference is not None else await once()


def _refusal(found: store.Allocate, key: ProductKey, day: date, quantity: int) -> Conflict:
    if found.on_floor:
        return Conflict(f"{key} stands on a restaurant's floor; book a table there instead.", code="stands_on_floor")
    metrics.ALLOCATIONS.labels("allocate", "insufficient_inventory").inc()
    left = max((found.capacity or 0) - (found.allocated or 0), 0) if found.in_range else 0
    why = "" if found.in_range else " The date is outside the product's range."
    return Conflict(
        f"{quantity} were asked for on {day} and {left} are left.{why}",
        code="insufficient_inventory",
        available=left,
    )
