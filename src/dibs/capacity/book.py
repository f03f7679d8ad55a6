"""Bookings: make one, look at it, give it tables, take them away, end it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, datetime
from typing import Any, TypeVar
from uuid import UUID

from dibs.capacity import booking_store
from dibs.capacity.context import Capacity
from dibs.capacity.faults import attempt
from dibs.capacity.model import MAX_PARTY, AssignedTable, Assignment, Booking
from dibs.capacity.when import Occasion, party_of
from dibs.db import Connection
from dibs.errors import DibsError, Invalid
from dibs.telemetry import events_capacity

T = TypeVar("T")
LONGEST_KEY = 200
STATUSES = ("seated", "completed", "no_show", "cancelled")


async def book(capacity: Capacity, occasion: Occasion, guest: dict[str, Any] | None = None) -> Booking:
    """A pending booking: it has its windows and no table yet."""
    if occasion.party_size is None or not 1 <= occasion.party_size <= MAX_PARTY:
        raise Invalid(f"party_size must be from 1 to {MAX_PARTY}.")
    party = await party_of(capacity, occasion)
    async with capacity.db.transaction() as connection:
        booking_id = await booking_store.insert_booking(
            connection,
            restaurant_id=party.ground.floor.restaurant_id,
            party_size=party.party_size,
            sitting=party.sitting,
            guest=guest,
            now=capacity.clock.for_database(),
        )
    return await capacity.booking(booking_id)


async def get_booking(capacity: Capacity, booking_id: UUID) -> tuple[Booking, list[AssignedTable]]:
    booking = await capacity.booking(booking_id)
    async with capacity.db.connection() as connection:
        return booking, await booking_store.list_assignments(connection, booking_id=booking_id)


async def list_bookings(
    capacity: Capacity,
    *,
    restaurant: str | None = None,
    service_date: date | None = None,
    status: str | None = None,
    after: tuple[datetime, UUID] | None = None,
    limit: int = 100,
) -> list[Booking]:
    async with capacity.db.connection() as connection:
        return await booking_store.list_bookings(
            connection, restaurant=restaurant, service_date=service_date, status=status, after=after, limit=limit
        )


async def confirm_hold(
    capacity: Capacity,
    hold_id: UUID,
    *,
    booking_id: UUID | None = None,
    guest: dict[str, Any] | None = None,
    idempotency_key: str | None = None,
) -> Assignment:
    """Turns a hold into the tables of a booking: the hold's, the named one, or a new one."""
    _check_key(idempotency_key)

    async def work(connection: Connection) -> Assignment:
        return await booking_store.confirm_hold(
            connection,
            hold_id=hold_id,
            booking_id=booking_id,
            idempotency_key=idempotency_key,
            guest=guest,
            now=capacity.clock.for_database(),
        )

    about = {"hold_id": hold_id, "booking_id": booking_id}
    confirmed = await _attempted(capacity, "confirm_hold", about, work)
    capacity.recorder.record(
        events_capacity.HOLD_CONFIRMED,
        booking_id=confirmed.booking_id,
        hold_id=hold_id,
        merge_group_id=confirmed.merge_group_id,
        tables=[claim.table_id for claim in confirmed.assignments],
    )
    return confirmed


async def assign_tables(
    capacity: Capacity,
    booking_id: UUID,
    table_ids: list[UUID],
    *,
    require_adjacency: bool = False,
    idempotency_key: str | None = None,
) -> Assignment:
    """Gives a booking exactly these tables, in place of those it has."""
    _check_key(idempotency_key)
    if not table_ids:
        raise Invalid("table_ids must name at least one table.")

    async def work(connection: Connection) -> Assignment:
        return await booking_store.assign_tables(
            connection,
            booking_id=booking_id,
            table_ids=table_ids,
            idempotency_key=idempotency_key,
            require_adjacency=require_adjacency,
            now=capacity.clock.for_database(),
        )

    return await _attempted(capacity, "assign_tables", {"booking_id": booking_id, "tables": table_ids}, work)


async def unassign_tables(capacity: Capacity, booking_id: UUID) -> int:
    """Takes its tables away; the booking is pending again."""

    async def work(connection: Connection) -> int:
        return await booking_store.unassign_tables(connection, booking_id=booking_id, now=capacity.clock.for_database())

    return await _attempted(capacity, "unassign_tables", {"booking_id": booking_id}, work)


async def set_status(capacity: Capacity, booking_id: UUID, status: str) -> Booking:
    """Seats or ends a booking. To the same status again changes nothing."""
    if status not in STATUSES:
        raise Invalid(f"status must be one of {', '.join(STATUSES)}.")

    async def work(connection: Connection) -> None:
        now = capacity.clock.for_database()
        await booking_store.set_booking_status(connection, booking_id=booking_id, status=status, now=now)

    await _attempted(capacity, "set_booking_status", {"booking_id": booking_id, "status": status}, work)
    return await capacity.booking(booking_id)


async def cancel_booking(capacity: Capacity, booking_id: UUID) -> Booking:
    """Its tables and holds are free at once."""
    return await set_status(capacity, booking_id, "cancelled")


def _check_key(idempotency_key: str | None) -> None:
    if idempotency_key is not None and not 1 <= len(idempotency_key) <= LONGEST_KEY:
        raise Invalid(f"Idempotency-Key must have 1 to {LONGEST_KEY} characters.")


async def _attempted(
    capacity: Capacity, call: str, about: dict[str, Any], work: Callable[[Connection], Awaitable[T]]
) -> T:
    """One function call in the database, with its retry and its telemetry."""

    async def once() -> T:
        async with capacity.db.connection() as connection:
            return await work(connection)

    try:
        return await attempt(once)
    except DibsError as error:
        capacity.refused(error, call, **about)
        raise
