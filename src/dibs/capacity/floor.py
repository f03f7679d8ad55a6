"""Floors: replace one declaratively, read it, see what is taken on it."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from dibs.capacity import booking_store, floor_store, hold_store
from dibs.capacity.context import Capacity
from dibs.capacity.faults import attempt
from dibs.capacity.floor_document import FloorDocument, read_document
from dibs.capacity.floor_store import FutureClaim, Named, Restaurant
from dibs.capacity.ids import ordered_id
from dibs.capacity.model import Floor, FloorClaim, TableState, Window
from dibs.db import Connection, Keyspace, advisory_lock
from dibs.errors import Conflict, Invalid
from dibs.telemetry import emit, events_capacity

SLUG = re.compile(r"^[a-z0-9](?:[a-z0-9_-]{0,98}[a-z0-9])?$")


@dataclass(frozen=True, slots=True)
class PutFloor:
    """`displaced` are the bookings that lost their tables because removing those was forced."""

    floor: Floor
    displaced: tuple[UUID, ...]


async def put_floor(capacity: Capacity, slug: str, document: Any, *, force: bool = False) -> PutFloor:
    """Makes the floor what the document says. Zones keep their ids by name, tables by number."""
    if not SLUG.match(slug):
        raise Invalid("A restaurant's name in the address has 1 to 100 of a-z, 0-9, - and _, like blue-door.")
    wanted = read_document(document)

    async def work() -> tuple[UUID, ...]:
        async with capacity.db.transaction() as connection:
            await advisory_lock(connection, Keyspace.FLOOR, slug)
            return await _write(capacity, connection, slug, wanted, force=force)

    displaced = await attempt(work)
    ground = await capacity.ground(slug)
    emit(events_capacity.FLOOR_CHANGED, restaurant=slug, tables=len(ground.floor.tables), displaced=len(displaced))
    return PutFloor(ground.floor, displaced)


async def _write(
    capacity: Capacity, connection: Connection, slug: str, wanted: FloorDocument, *, force: bool
) -> tuple[UUID, ...]:
    now = capacity.clock.now()
    restaurant_id = await floor_store.upsert_restaurant(
        connection,
        slug=slug,
        name=wanted.name,
        timezone=wanted.timezone,
        policy=wanted.policy,
        service_periods=wanted.service_periods,
        now=now,
    )
    displaced = await _remove_tables(capacity, connection, restaurant_id, wanted, force=force)
    fresh = {zone.name: ordered_id(now, at) for at, zone in enumerate(wanted.zones)}
    zones = await floor_store.upsert_zones(connection, restaurant_id=restaurant_id, zones=fresh)
    await floor_store.remove_zones(connection, restaurant_id=restaurant_id, keep=list(zones), now=now)
    rows = _table_rows(wanted, zones, now)
    tables = await floor_store.upsert_tables(connection, restaurant_id=restaurant_id, tables=rows)
    await floor_store.remove_adjacencies(connection, restaurant_id=restaurant_id)
    pairs = [(tables[one], tables[other]) for one, other in wanted.adjacencies]
    await floor_store.insert_adjacencies(connection, pairs=pairs)
    return displaced


def _table_rows(wanted: FloorDocument, zones: dict[str, UUID], now: datetime) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for zone in wanted.zones:
        for table in zone.tables:
            at = len(rows)
            place = {"table_id": ordered_id(now, at), "zone_id": zones[zone.name], "position": at}
            rows.append({**asdict(table), **place})
    return rows


async def _remove_tables(
    capacity: Capacity, connection: Connection, restaurant_id: UUID, wanted: FloorDocument, *, force: bool
) -> tuple[UUID, ...]:
    keep = [table.number for zone in wanted.zones for table in zone.tables]
    gone = await floor_store.lock_tables(connection, restaurant_id=restaurant_id, keep=keep)
    if not gone:
        return ()
    now = capacity.clock.for_database()
    ids = [table.table_id for table in gone]
    claims = await floor_store.list_future_claims(connection, table_ids=ids, now=now)
    if claims and not force:
        raise Conflict(
            f"The document leaves out {_named(gone, claims)}, which somebody has booked or holds; "
            "move them first, or send force=true to take the tables away from them.",
            code="capacity_conflict",
            tables=sorted({claim.number for claim in claims}),
            bookings=sorted({str(claim.booking_id) for claim in claims if claim.booking_id}),
        )
    displaced = sorted({claim.booking_id for claim in claims if claim.booking_id})
    for booking_id in displaced:
        await booking_store.unassign_tables(connection, booking_id=booking_id, now=now)
    for hold_id in sorted({claim.hold_id for claim in claims if claim.hold_id}):
        await hold_store.release_hold(connection, hold_id=hold_id, now=now)
    await floor_store.remove_tables(connection, table_ids=ids, now=capacity.clock.now())
    return tuple(displaced)


def _named(gone: list[Named], claims: list[FutureClaim]) -> str:
    claimed = {claim.number for claim in claims}
    return ", ".join(table.number for table in gone if table.number in claimed)


async def read_floor(capacity: Capacity, slug: str) -> Floor:
    return (await capacity.ground(slug)).floor


async def table_states(capacity: Capacity, floor: Floor, at: datetime) -> dict[UUID, TableState]:
    """What each table is at that moment; those that are not named are free."""
    claims = await floor_claims(capacity, floor, Window(at, at + timedelta(microseconds=1)))
    return {claim.table_id: "booked" if claim.resource_type == "booking" else "held" for claim in claims}


async def floor_claims(capacity: Capacity, floor: Floor, window: Window) -> list[FloorClaim]:
    """Everything that blocks a table of this floor in that window."""
    async with capacity.db.connection() as connection:
        return await floor_store.list_claims(
            connection, restaurant_id=floor.restaurant_id, window=window, now=capacity.clock.for_database()
        )


async def list_restaurants(capacity: Capacity, *, after: str | None = None, limit: int = 100) -> list[Restaurant]:
    async with capacity.db.connection() as connection:
        return await floor_store.list_restaurants(connection, after=after, limit=limit)
