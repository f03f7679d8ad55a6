"""The statements about products as the line sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from dibs.db import Connection, execute, fetch_all, fetch_maybe, fetch_value, statements
from dibs.offers.model import Waiting
from dibs.offers.pool_rules import PoolDay

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class GetPool:
    """What a product is to its line."""

    product_no: int
    product_key: str
    floor_restaurant: str | None


@dataclass(frozen=True, slots=True)
class FindPool:
    """A product and the range of dates that somebody asks for; `most` is the largest capacity among them."""

    product_no: int
    product_key: str
    name: str
    range_start: date
    range_end: date
    floor_restaurant: str | None
    earliest: datetime
    latest: datetime
    until: datetime
    most: int | None


async def find_pool(
    connection: Connection, *, product_key: str, earliest_date: date, latest_date: date
) -> FindPool | None:
    values = {"product_key": product_key, "earliest_date": earliest_date, "latest_date": latest_date}
    return await fetch_maybe(connection, sql("find_pool"), values, FindPool)


async def get_pool(connection: Connection, *, product_no: int) -> GetPool | None:
    return await fetch_maybe(connection, sql("get_pool"), {"product_no": product_no}, GetPool)


async def list_pool_days(
    connection: Connection, *, product_no: int, line: Sequence[Waiting], now: datetime
) -> list[PoolDay]:
    """The dates that anybody in `line` waits for."""
    firsts = [place.earliest_date for place in line if place.earliest_date]
    lasts = [place.latest_date for place in line if place.latest_date]
    if not firsts or not lasts:
        return []
    values = {"product_no": product_no, "first": min(firsts), "last": max(lasts), "now": now}
    return await fetch_all(connection, sql("list_pool_days"), values, PoolDay)


async def lock_allocation(connection: Connection, *, product_no: int, date: date, reference: str) -> bool:
    """False when it was given back."""
    values = {"product_no": product_no, "date": date, "reference": reference}
    return await fetch_value(connection, sql("lock_allocation"), values) is not None


async def ask_pool_line(connection: Connection, *, product_no: int) -> None:
    await execute(connection, sql("ask_pool_line"), {"product_no": product_no})
