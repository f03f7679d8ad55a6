"""A wish for a quantity of a product: on one of the dates from the first to the last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from dibs.db import Database
from dibs.errors import Conflict, Invalid, NotFound
from dibs.offers import pool_store
from dibs.offers.pool_store import FindPool
from dibs.offers.wish import Asked, Wish
from dibs.signals import rules as signals

# Whoever waits for longer than a year forgets that they do.
LONGEST_RANGE_DAYS = 366


@dataclass(frozen=True, slots=True)
class PoolWishes:
    """Reads them."""

    database: Database

    async def read(self, wish: Wish, now: datetime) -> Asked:
        """What the wish comes to; refuses one that could never be granted."""
        key = wish.product or ""
        if wish.quantity is None:
            raise Invalid("Send quantity: how many you want of one date.", field="quantity")
        signals.check_quantity(wish.quantity)
        first, last = _dates(wish)
        async with self.database.connection() as connection:
            pool = await pool_store.find_pool(connection, product_key=key, earliest_date=first, latest_date=last)
        if pool is None:
            raise NotFound(f"There is no product {key}.")
        _check(pool, wish.quantity, now)
        return Asked(
            line_key=f"product:{pool.product_no}",
            product_no=pool.product_no,
            product_key=pool.product_key,
            quantity=wish.quantity,
            earliest_date=first,
            latest_date=last,
            earliest=pool.earliest,
            latest=pool.latest,
            until=pool.until,
        )


def _dates(wish: Wish) -> tuple[date, date]:
    first, last = wish.earliest_date, wish.latest_date
    if first is None or last is None:
        raise Invalid("Send earliest_date and latest_date, the first and the last date that would do.")
    for field, day in (("earliest_date", first), ("latest_date", last)):
        if not signals.FIRST_DATE <= day <= signals.LAST_DATE:
            raise Invalid(f"{field} must be from {signals.FIRST_DATE} to {signals.LAST_DATE}.", field=field)
    if last < first:
        raise Invalid("latest_date lies before earliest_date; send the range the other way round.")
    if (last - first).days >= LONGEST_RANGE_DAYS:
        raise Invalid(f"The range may span at most {LONGEST_RANGE_DAYS} days.", field="latest_date")
    return first, last


def _check(pool: FindPool, quantity: int, now: datetime) -> None:
    if pool.floor_restaurant:
        raise Conflict(
            f"{pool.name} stands on the floor of {pool.floor_restaurant}; take a place in that restaurant's line "
            f"instead: POST /api/restaurants/{pool.floor_restaurant}/line.",
            code="stands_on_floor",
            restaurant=pool.floor_restaurant,
        )
    if pool.until <= now:
        raise Invalid("The range lies in the past; choose a later one.", code="invalid_start")
    if pool.most is None:
        raise Invalid(
            f"{pool.name} has no date in this range; its dates are from {pool.range_start} to {pool.range_end}.",
            code="out_of_range",
        )
    if quantity > pool.most:
        raise Invalid(
            f"No date in this range has more than {pool.most}, even with nothing taken; ask for fewer.",
            code="insufficient_capacity",
        )
