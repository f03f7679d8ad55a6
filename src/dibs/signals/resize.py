"""Gives one date a capacity of its own, or the product's again."""

from __future__ import annotations

from datetime import date

from dibs.db import Database
from dibs.errors import Conflict, NotFound
from dibs.signals import rules, store
from dibs.signals.model import ProductKey
from dibs.signals.store import SetCapacity


async def set_capacity(database: Database, key: ProductKey, day: date, capacity: int | None) -> SetCapacity:
    """Capacity and allocations of the date; null gives it the product's capacity back."""
    if capacity is not None:
        rules.check_capacity(capacity)
    async with database.transaction() as connection:
        found = await store.set_capacity(connection, product_key=str(key), date=day, capacity=capacity)
        if found is None:
            raise NotFound(f"There is no date {day} of a product {key}.")
        if found.on_floor:
            raise Conflict(f"{key} stands on a restaurant's floor; change the floor instead.", code="stands_on_floor")
    return found
