"""The statements about products, their dates and allocations. Those about signals are in `signal_store`."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, NamedTuple

from msgspec import Struct
from psycopg.rows import tuple_row

from dibs.db import Connection, Json, execute, fetch_all, fetch_maybe, fetch_one, statements
from dibs.signals.model import Edge, Product, ProductKey, ProductPlan
from dibs.signals.rules import tiers_down

sql = statements(__name__)


class PutProduct(Product, frozen=True, kw_only=True):
    """A product as it was just written."""

    created: bool


class SeedDates(Struct, frozen=True, kw_only=True):
    """What a change of range or capacity did to the dates."""

    resized: int
    removed: int
    kept: int
    seeded_dates: list[date]
    edges: list[dict[str, Any]]


class DateDocument(NamedTuple):
    """A date, and its answer as JSON."""

    date: date
    document: str


class ProductDocument(NamedTuple):
    """A product, and the answers of its dates as JSON."""

    product_key: str
    name: str
    dates: str


class Allocate(Struct, frozen=True, kw_only=True):
    """Everything that the outcome of an allocation depends on."""

    on_floor: bool
    in_range: bool
    seeded: bool
    capacity: int | None
    allocated: int | None
    reference: str | None
    date: date | None
    quantity: int | None
    allocated_at: datetime | None
    released_at: datetime | None


class Release(Struct, frozen=True, kw_only=True):
    """The allocation that was named, as it is now."""

    reference: str
    date: date
    quantity: int
    allocated_at: datetime
    released_at: datetime | None


class SetCapacity(Struct, frozen=True, kw_only=True):
    """A date whose capacity was set."""

    capacity: int
    allocated: int
    on_floor: bool


async def lock_dates(connection: Connection, *, product_key: str) -> None:
    await execute(connection, sql("lock_dates"), {"product_key": product_key})


async def put_product(connection: Connection, *, key: ProductKey, plan: ProductPlan, now: datetime) -> PutProduct:
    tiers, cuts = tiers_down(plan.pattern)
    values = {
        "collection_id": key.collection_id,
        "activity_type": key.activity_type,
        "activity_id": key.activity_id,
        "product_id": key.product_id,
        "name": plan.name,
        "timezone": plan.timezone,
        "capacity": plan.capacity,
        "range_start": plan.range_start,
        "range_end": plan.range_end,
        "floor_restaurant": plan.floor.restaurant if plan.floor else None,
        "floor_measure": plan.floor.measure if plan.floor else None,
        "pattern": Json(plan.pattern),
        "cadence_id": plan.pattern.cadence.id,
        "tiers_down": tiers,
        "cuts_down": cuts,
        "now": now,
    }
    return await fetch_one(connection, sql("put_product"), values, PutProduct)


async def seed_dates(connection: Connection, *, product_no: int, now: datetime) -> SeedDates:
    return await fetch_one(connection, sql("seed_dates"), {"product_no": product_no, "now": now}, SeedDates)


async def edges_of_dates(connection: Connection, *, product_no: int, dates: list[date], now: datetime) -> list[Edge]:
    values = {"product_no": product_no, "dates": dates, "now": now}
    return await fetch_all(connection, sql("edges_of_dates"), values, Edge)


async def get_product(connection: Connection, *, product_key: str) -> Product | None:
    return await fetch_maybe(connection, sql("get_product"), {"product_key": product_key}, Product)


async def list_products(
    connection: Connection, *, collection_id: str | None, cadence_id: str | None, after: str, limit: int
) -> list[Product]:
    values = {"collection_id": collection_id, "cadence_id": cadence_id, "after": after, "limit": limit}
    return await fetch_all(connection, sql("list_products"), values, Product)


async def set_capacity(
    connection: Connection, *, product_key: str, date: date, capacity: int | None
) -> SetCapacity | None:
    values = {"product_key": product_key, "date": date, "capacity": capacity}
    return await fetch_maybe(connection, sql("set_capacity"), values, SetCapacity)


async def allocate(
    connection: Connection, *, product_key: str, date: date, reference: str, quantity: int, now: datetime | None
) -> Allocate | None:
    values = {"product_key": product_key, "date": date, "reference": reference, "quantity": quantity, "now": now}
    return await fetch_maybe(connection, sql("allocate"), values, Allocate)


async def release(
    connection: Connection,
    *,
    product_key: str,
    date: date,
    reference: str,
    quantity: int | None,
    now: datetime | None,
) -> Release | None:
    values = {"product_key": product_key, "date": date, "reference": reference, "quantity": quantity, "now": now}
    return await fetch_maybe(connection, sql("release"), values, Release)


async def list_dates(
    connection: Connection, *, product_key: str, first: date, last: date, now: datetime, limit: int
) -> list[DateDocument]:
    values = {"product_key": product_key, "first": first, "last": last, "now": now, "limit": limit}
    return [DateDocument(*row) for row in await _tuples(connection, sql("list_dates"), values)]


async def list_dates_fresh(
    connection: Connection, *, product_key: str, first: date, last: date, now: datetime, limit: int
) -> list[DateDocument]:
    values = {"product_key": product_key, "first": first, "last": last, "now": now, "limit": limit}
    return [DateDocument(*row) for row in await _tuples(connection, sql("list_dates_fresh"), values)]


async def list_dates_of_products(
    connection: Connection,
    *,
    collection_id: str,
    first: date,
    last: date,
    now: datetime,
    after: str,
    limit: int,
) -> list[ProductDocument]:
    values = {
        "collection_id": collection_id,
        "first": first,
        "last": last,
        "now": now,
        "after": after,
        "limit": limit,
    }
    return [ProductDocument(*row) for row in await _tuples(connection, sql("list_dates_of_products"), values)]


async def _tuples(connection: Connection, statement: bytes, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Rows that are passed on as they are."""
    async with connection.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute(statement, values)
        return await cursor.fetchall()
