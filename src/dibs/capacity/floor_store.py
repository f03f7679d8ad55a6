"""The statements about floors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, time
from typing import Any
from uuid import UUID

import msgspec

from dibs.capacity.model import Floor, FloorClaim, Policy, ServicePeriod, Table, Window, Zone
from dibs.db import Connection, Json, execute, fetch_all, fetch_maybe, fetch_one, fetch_value, statements

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class Restaurant:
    restaurant_id: UUID
    slug: str
    name: str
    timezone: str
    tables: int


@dataclass(frozen=True, slots=True)
class Named:
    table_id: UUID
    number: str


@dataclass(frozen=True, slots=True)
class FutureClaim:
    number: str
    booking_id: UUID | None
    hold_id: UUID | None


# The ids of the tables that are taken from one moment to another, in seconds since 1970.
Claims = tuple[list[str], float, float]


async def read_floor(connection: Connection, *, slug: str) -> Floor | None:
    row = await fetch_maybe(connection, sql("read_floor"), {"slug": slug})
    if row is None:
        return None
    kinds: dict[str, Any] = {
        "policy": Policy,
        "service_periods": tuple[ServicePeriod, ...],
        "zones": tuple[Zone, ...],
        "tables": tuple[Table, ...],
        "adjacencies": tuple[tuple[UUID, UUID], ...],
    }
    return Floor(**{**row, **{name: msgspec.convert(row[name], kind, strict=False) for name, kind in kinds.items()}})


async def read_day(
    connection: Connection, *, restaurant_id: UUID, window: Window, now: datetime | None
) -> tuple[int, list[Claims]]:
    """The version of the floor, and what is taken on it."""
    values = {"restaurant_id": restaurant_id, "start_at": window.start_at, "end_at": window.end_at, "now": now}
    row = await fetch_one(connection, sql("read_day"), values)
    if row["tables"] is None:
        return row["version"], []
    tables = [together.split(",") for together in row["tables"].split(";")]
    starts, ends = map(float, row["starts"].split(";")), map(float, row["ends"].split(";"))
    return row["version"], list(zip(tables, starts, ends, strict=True))


async def list_claims(
    connection: Connection, *, restaurant_id: UUID, window: Window, now: datetime | None
) -> list[FloorClaim]:
    values = {"restaurant_id": restaurant_id, "start_at": window.start_at, "end_at": window.end_at, "now": now}
    return await fetch_all(connection, sql("list_claims"), values, FloorClaim)


async def list_restaurants(connection: Connection, *, after: str | None, limit: int) -> list[Restaurant]:
    return await fetch_all(connection, sql("list_restaurants"), {"after": after, "limit": limit}, Restaurant)


async def upsert_restaurant(
    connection: Connection,
    *,
    slug: str,
    name: str,
    timezone: str,
    policy: Policy,
    service_periods: Sequence[ServicePeriod],
    now: datetime,
) -> UUID:
    values = {
        "slug": slug,
        "name": name,
        "timezone": timezone,
        "policy": Json(asdict(policy)),
        "service_periods": Json([_period(period) for period in service_periods]),
        "now": now,
    }
    return await fetch_value(connection, sql("upsert_restaurant"), values)


def _period(period: ServicePeriod) -> dict[str, str]:
    return {"name": period.name, "start": _clock(period.start), "end": _clock(period.end)}


def _clock(at: time) -> str:
    return at.strftime("%H:%M:%S")


async def upsert_zones(connection: Connection, *, restaurant_id: UUID, zones: dict[str, UUID]) -> dict[str, UUID]:
    """The ids of the zones by name: known ones keep theirs, new ones get the one given."""
    values = {"restaurant_id": restaurant_id, "names": list(zones), "zone_ids": list(zones.values())}
    return {row["name"]: row["zone_id"] for row in await fetch_all(connection, sql("upsert_zones"), values)}


async def remove_zones(connection: Connection, *, restaurant_id: UUID, keep: Sequence[str], now: datetime) -> None:
    values = {"restaurant_id": restaurant_id, "names": list(keep), "now": now}
    await execute(connection, sql("remove_zones"), values)


async def lock_tables(connection: Connection, *, restaurant_id: UUID, keep: Sequence[str]) -> list[Named]:
    """Locks and names the tables that are not among those to keep."""
    values = {"restaurant_id": restaurant_id, "numbers": list(keep)}
    return await fetch_all(connection, sql("lock_tables"), values, Named)


async def list_future_claims(
    connection: Connection, *, table_ids: Sequence[UUID], now: datetime | None
) -> list[FutureClaim]:
    values = {"table_ids": list(table_ids), "now": now}
    return await fetch_all(connection, sql("list_future_claims"), values, FutureClaim)


async def remove_tables(connection: Connection, *, table_ids: Sequence[UUID], now: datetime) -> None:
    await execute(connection, sql("remove_tables"), {"table_ids": list(table_ids), "now": now})


async def upsert_tables(
    connection: Connection, *, restaurant_id: UUID, tables: Sequence[dict[str, Any]]
) -> dict[str, UUID]:
    """The ids of the tables by number: known ones keep theirs."""
    values = {"restaurant_id": restaurant_id, "tables": Json(tables)}
    rows = await fetch_all(connection, sql("upsert_tables"), values, Named)
    return {row.number: row.table_id for row in rows}


async def remove_adjacencies(connection: Connection, *, restaurant_id: UUID) -> None:
    await execute(connection, sql("remove_adjacencies"), {"restaurant_id": restaurant_id})


async def insert_adjacencies(connection: Connection, *, pairs: Sequence[tuple[UUID, UUID]]) -> None:
    values = {"ones": [one for one, _ in pairs], "others": [other for _, other in pairs]}
    await execute(connection, sql("insert_adjacencies"), values)
