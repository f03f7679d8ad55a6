"""Bookings: make one, give it tables, end it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Path, Query, Response

from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import PartsOf, needs
from dibs.api.capacity_shapes import AssignBody, BookingAnswer, NewBooking, StatusBody, known_id
from dibs.capacity import (
    assign_tables,
    book,
    cancel_booking,
    get_booking,
    list_bookings,
    set_status,
    unassign_tables,
)
from dibs.capacity.model import Assignment, BookingStatus

router = APIRouter(prefix="/api", tags=["capacity"])

BookingId = Annotated[str, Path(max_length=100)]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key", min_length=1, max_length=200, description="A repeat with it is answered as before."
    ),
]


@router.post(
    "/bookings", dependencies=needs("staff"), responses=shows(BookingAnswer, status=201), summary="Make a booking"
)
async def create_booking(parts: PartsOf, body: NewBooking) -> Response:
    made = await book(parts.capacity, body.occasion(), body.guest)
    return answer(BookingAnswer.of(made, []), 201)


@router.get("/bookings", dependencies=needs("staff"), responses=shows(BookingAnswer, many=True), summary="Bookings")
async def get_bookings(
    parts: PartsOf,
    restaurant: Annotated[str | None, Query(max_length=100)] = None,
    service_date: date | None = None,
    status: BookingStatus | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    found = await list_bookings(
        parts.capacity,
        restaurant=restaurant,
        service_date=service_date,
        status=status,
        after=decode_cursor(cursor, tuple[datetime, UUID]),
        limit=limit + 1,
    )
    shown = [BookingAnswer.of(one) for one in found]
    return page(shown, limit, lambda one: [one.window.start_at, one.booking_id])


@router.get(
    "/bookings/{booking_id}", dependencies=needs("staff"), responses=shows(BookingAnswer), summary="One booking"
)
async def get_one_booking(parts: PartsOf, booking_id: BookingId) -> Response:
    booking, tables = await get_booking(parts.capacity, known_id(booking_id, "booking"))
    return answer(BookingAnswer.of(booking, tables))


@router.post(
    "/bookings/{booking_id}/cancel",
    dependencies=needs("staff"),
    responses=shows(BookingAnswer),
    summary="Cancel; its tables are free at once",
)
async def cancel(parts: PartsOf, booking_id: BookingId) -> Response:
    return answer(BookingAnswer.of(await cancel_booking(parts.capacity, known_id(booking_id, "booking")), []))


@router.post(
    "/bookings/{booking_id}/status",
    dependencies=needs("staff"),
    responses=shows(BookingAnswer),
    summary="Seat the party, or say how it ended",
)
async def change_status(parts: PartsOf, booking_id: BookingId, body: StatusBody) -> Response:
    changed = await set_status(parts.capacity, known_id(booking_id, "booking"), body.status)
    _, tables = await get_booking(parts.capacity, changed.booking_id)
    return answer(BookingAnswer.of(changed, tables))


@router.post(
    "/bookings/{booking_id}/assign",
    dependencies=needs("staff"),
    responses=shows(Assignment),
    summary="Give it exactly these tables",
)
async def assign(
    parts: PartsOf, booking_id: BookingId, body: AssignBody, idempotency_key: IdempotencyKey = None
) -> Response:
    assigned = await assign_tables(
        parts.capacity,
        known_id(booking_id, "booking"),
        [known_id(one, "table") for one in body.table_ids],
        require_adjacency=body.require_adjacency,
        idempotency_key=idempotency_key,
    )
    return answer(assigned)


@router.delete(
    "/bookings/{booking_id}/assignments",
    dependencies=needs("staff"),
    status_code=204,
    summary="Take its tables away; it is pending again",
)
async def unassign(parts: PartsOf, booking_id: BookingId) -> Response:
    await unassign_tables(parts.capacity, known_id(booking_id, "booking"))
    return Response(status_code=204)
