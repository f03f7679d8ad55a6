"""The statements about bookings and their tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

import msgspec

from dibs.capacity.model import AssignedTable, Assignment, Booking, Sitting
from dibs.db import Connection, Json, execute, fetch_all, fetch_maybe, fetch_value, statements

sql = statements(__name__)


async def insert_booking(
    connection: Connection,
    *,
    restaurant_id: UUID,
    party_size: int,
    sitting: Sitting,
    guest: dict[str, Any] | None,
    now: datetime | None,
) -> UUID:
    values = {
        "restaurant_id": restaurant_id,
        "party_size": party_size,
        "start_at": sitting.dining.start_at,
        "end_at": sitting.dining.end_at,
        "blocked_start_at": sitting.blocked.start_at,
        "blocked_end_at": sitting.blocked.end_at,
        "service_date": sitting.service_date,
        "guest": None if guest is None else Json(guest),
        "now": now,
    }
    return await fetch_value(connection, sql("insert_booking"), values)


async def find_booking(connection: Connection, *, booking_id: UUID) -> Booking | None:
    return await fetch_maybe(connection, sql("find_booking"), {"booking_id": booking_id}, Booking)


async def list_bookings(
    connection: Connection,
    *,
    restaurant: str | None,
    service_date: date | None,
    status: str | None,
    after: tuple[datetime, UUID] | None,
    limit: int,
) -> list[Booking]:
    values = {
        "restaurant": restaurant,
        "service_date": service_date,
        "status": status,
        "after_start": after and after[0],
        "after_id": after and after[1],
        "limit": limit,
    }
    return await fetch_all(connection, sql("list_bookings"), values, Booking)


async def list_assignments(connection: Connection, *, booking_id: UUID) -> list[AssignedTable]:
    return await fetch_all(connection, sql("list_assignments"), {"booking_id": booking_id}, AssignedTable)


async def confirm_hold(
    connection: Connection,
    *,
    hold_id: UUID,
    booking_id: UUID | None,
    idempotency_key: str | None,
    guest: dict[str, Any] | None,
    now: datetime | None,
) -> Assignment:
    values = {
        "hold_id": hold_id,
        "booking_id": booking_id,
        "idempotency_key": idempotency_key,
        "guest": None if guest is None else Json(guest),
        "now": now,
    }
    return msgspec.convert(await fetch_value(connection, sql("confirm_hold"), values), Assignment)


async def assign_tables(
    connection: Connection,
    *,
    booking_id: UUID,
    table_ids: Sequence[UUID],
    idempotency_key: str | None,
    require_adjacency: bool,
    now: datetime | None,
) -> Assignment:
    values = {
        "booking_id": booking_id,
        "table_ids": list(table_ids),
        "idempotency_key": idempotency_key,
        "require_adjacency": require_adjacency,
        "now": now,
    }
    return msgspec.convert(await fetch_value(connection, sql("assign_tables"), values), Assignment)


async def unassign_tables(connection: Connection, *, booking_id: UUID, now: datetime | None) -> int:
    return await fetch_value(connection, sql("unassign_tables"), {"booking_id": booking_id, "now": now})


async def set_booking_status(connection: Connection, *, booking_id: UUID, status: str, now: datetime | None) -> None:
    values = {"booking_id": booking_id, "status": status, "now": now}
    await execute(connection, sql("set_booking_status"), values)


async def expire_bookings(connection: Connection, *, limit: int, now: datetime | None) -> int:
    return await execute(connection, sql("expire_bookings"), {"limit": limit, "now": now})


async def prune_answers(connection: Connection, *, before: datetime, limit: int) -> int:
    return await execute(connection, sql("prune_answers"), {"before": before, "limit": limit})
