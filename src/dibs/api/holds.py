"""Holds: those that are live, longer, or given back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import PartsOf, needs
from dibs.api.capacity_shapes import ExtendBody, known_id
from dibs.capacity import extend_hold, get_hold, list_holds, release_hold
from dibs.capacity.model import Hold

router = APIRouter(prefix="/api", tags=["capacity"])

HoldId = Annotated[str, Path(max_length=100)]


@router.get("/holds", dependencies=needs("staff"), responses=shows(Hold, many=True), summary="The live holds")
async def get_holds(
    parts: PartsOf,
    restaurant: Annotated[str | None, Query(max_length=100)] = None,
    booking_id: UUID | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    found = await list_holds(
        parts.capacity,
        restaurant=restaurant,
        booking_id=booking_id,
        after=decode_cursor(cursor, tuple[datetime, UUID]),
        limit=limit + 1,
    )
    return page(found, limit, lambda one: [one.expires_at, one.hold_id])


@router.get("/holds/{hold_id}", dependencies=needs("staff"), responses=shows(Hold), summary="One hold")
async def get_one_hold(parts: PartsOf, hold_id: HoldId) -> Response:
    return answer(await get_hold(parts.capacity, known_id(hold_id, "hold")))


@router.post(
    "/holds/{hold_id}/extend", dependencies=needs("staff"), responses=shows(Hold), summary="Make it last longer"
)
async def extend(parts: PartsOf, hold_id: HoldId, body: ExtendBody) -> Response:
    return answer(await extend_hold(parts.capacity, known_id(hold_id, "hold"), body.seconds))


@router.delete("/holds/{hold_id}", dependencies=needs("staff"), status_code=204, summary="Give the tables back")
async def release(parts: PartsOf, hold_id: HoldId) -> Response:
    await release_hold(parts.capacity, known_id(hold_id, "hold"))
    return Response(status_code=204)
