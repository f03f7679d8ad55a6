"""Reads products, dates and signals; dates come from the cache, with their age, unless asked to be fresh."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import UUID

import msgspec

from dibs.clock import Clock
from dibs.db import Database
from dibs.errors import Invalid, NotFound
from dibs.signals import signal_store, store
from dibs.signals.model import Cadence, DateAnswer, Product, ProductDates, ProductKey, Signal, State
from dibs.signals.signal_store import StoredSignal
from dibs.signals.store import DateDocument

SCHEMA = "availabilitySignal"


async def get_product(database: Database, key: ProductKey) -> Product:
    async with database.connection() as connection:
        product = await store.get_product(connection, product_key=str(key))
    if product is None:
        raise NotFound(f"There is no product {key}.")
    return product


async def list_products(
    database: Database, *, limit: int, after: str = "", collection_id: str | None = None, cadence_id: str | None = None
) -> list[Product]:
    """Products in the order of their keys."""
    async with database.connection() as connection:
        return await store.list_products(
            connection, collection_id=collection_id, cadence_id=cadence_id, after=after, limit=limit
        )


async def list_documents(
    database: Database,
    clock: Clock,
    key: ProductKey,
    first: date,
    last: date,
    *,
    limit: int,
    fresh: bool = False,
) -> list[DateDocument]:
    """The dates from `first` to `last`, both included, that are not over; each is a `DateAnswer` as JSON."""
    read = store.list_dates_fresh if fresh else store.list_dates
    async with database.connection() as connection:
        found = await read(connection, product_key=str(key), first=first, last=last, now=clock.now(), limit=limit)
    if not found:
        await get_product(database, key)
    return found


async def list_dates(
    database: Database, clock: Clock, key: ProductKey, first: date, last: date, *, limit: int, fresh: bool = False
) -> list[DateAnswer]:
    """The same, read."""
    check_span(first, last)
    found = await list_documents(database, clock, key, first, last, limit=limit, fresh=fresh)
    return [msgspec.json.decode(one.document, type=DateAnswer) for one in found]


async def list_dates_of_products(
    database: Database, clock: Clock, collection_id: str, first: date, last: date, *, after: str, limit: int
) -> list[ProductDates]:
    """The dates of every product of a collection, in one statement however many there are."""
    check_span(first, last)
    async with database.connection() as connection:
        found = await store.list_dates_of_products(
            connection,
            collection_id=collection_id,
            first=first,
            last=last,
            now=clock.now(),
            after=after,
            limit=limit,
        )
    return [
        ProductDates(
            product_key=one.product_key,
            name=one.name,
            dates=msgspec.json.decode(one.dates, type=list[DateAnswer]),
        )
        for one in found
    ]


def check_span(first: date, last: date) -> None:
    if last < first:
        raise Invalid("`to` is before `from`.", field="to")


def value_of(tier: str | None, available: int) -> int | str:
    """What a pattern makes of an availability: the tier's id if there are tiers, else the count."""
    return available if tier is None else tier


async def list_signals(
    database: Database,
    clock: Clock,
    *,
    limit: int,
    cadence_id: str | None = None,
    state: State | None = None,
    after: tuple[int, date] | None = None,
) -> list[tuple[int, Signal]]:
    """Signals with the numbers of their products, which a page's cursor needs."""
    number, day = after or (0, date.min)
    where: dict[str, Any] = {"cadence_id": cadence_id, "after_no": number, "after_date": day, "now": clock.now()}
    async with database.connection() as connection:
        if state == "dirty":
            found = await signal_store.list_dirty_signals(connection, **where, limit=limit)
        else:
            dirty = None if state is None else False
            found = await signal_store.list_signals(connection, **where, dirty=dirty, limit=limit)
    return [(one.product_no, _signal(one)) for one in found]


async def get_signal(database: Database, clock: Clock, global_id: UUID) -> Signal:
    async with database.connection() as connection:
        found = await signal_store.get_signal(connection, global_id=global_id, now=clock.now())
    if found is None:
        raise NotFound(f"There is no signal {global_id}; it may have expired.")
    return _signal(found)


def _signal(stored: StoredSignal) -> Signal:
    return Signal(
        pk=stored.pk,
        sk=stored.sk,
        gsipk=stored.gsipk,
        gsisk=stored.gsisk,
        schema_=SCHEMA,
        global_id=stored.global_id,
        value=value_of(stored.tier, stored.available),
        last_updated_at=stored.last_updated_at,
        availability_estimation_pattern=stored.pattern,
        expiry=stored.expiry,
    )


async def list_cadences(database: Database, clock: Clock) -> list[Cadence]:
    async with database.connection() as connection:
        return await signal_store.list_cadences(connection, now=clock.now())
