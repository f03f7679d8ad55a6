"""Floors: the whole of one, declaratively; and what is taken on it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Response
from pydantic import AwareDatetime

from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import PartsOf, needs
from dibs.api.floor_shapes import FLOOR_SCHEMA, FloorAnswer
from dibs.capacity import floor_claims, list_restaurants, put_floor, read_floor, table_states
from dibs.capacity.floor_store import Restaurant
from dibs.capacity.model import FloorClaim, Window
from dibs.capacity.when import EARLIEST, LATEST
from dibs.errors import Invalid

router = APIRouter(prefix="/api", tags=["capacity"])

Slug = Annotated[str, Path(max_length=100)]
At = Annotated[AwareDatetime | None, Query(description="Show what each table is at that moment.")]
BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": FLOOR_SCHEMA}}}}


@router.get("/restaurants", dependencies=needs("read"), responses=shows(Restaurant, many=True), summary="Restaurants")
async def get_restaurants(parts: PartsOf, limit: Limit = 100, cursor: Cursor = None) -> Response:
    after = decode_cursor(cursor, tuple[str])
    found = await list_restaurants(parts.capacity, after=after[0] if after else None, limit=limit + 1)
    return page(found, limit, lambda one: [one.slug])


@router.put(
    "/restaurants/{slug}/floor",
    dependencies=needs("admin"),
    responses=shows(FloorAnswer),
    openapi_extra=BODY,
    summary="Make the floor what the document says",
)
async def replace_floor(
    parts: PartsOf,
    slug: Slug,
    document: Annotated[Any, Body()],
    force: Annotated[bool, Query(description="Take tables away although somebody has claims on them.")] = False,
) -> Response:
    put = await put_floor(parts.capacity, slug, document, force=force)
    shown = FloorAnswer.of(put.floor)
    shown.displaced = list(put.displaced)
    return answer(shown)


@router.get("/restaurants/{slug}/floor", dependencies=needs("read"), responses=shows(FloorAnswer), summary="The floor")
async def get_floor(parts: PartsOf, slug: Slug, at: At = None) -> Response:
    floor = await read_floor(parts.capacity, slug)
    if at is None:
        return answer(FloorAnswer.of(floor))
    shown = FloorAnswer.of(floor, await table_states(parts.capacity, floor, _bounded(at)))
    shown.at = at
    return answer(shown)


@router.get(
    "/restaurants/{slug}/claims",
    dependencies=needs("staff"),
    responses=shows(FloorClaim, many=True),
    summary="What is booked or held between two moments",
)
async def get_claims(parts: PartsOf, slug: Slug, start_at: AwareDatetime, end_at: AwareDatetime) -> Response:
    floor = await read_floor(parts.capacity, slug)
    window = Window(_bounded(start_at), _bounded(end_at))
    if window.end_at <= window.start_at or (window.end_at - window.start_at).days > 7:
        raise Invalid("end_at must be after start_at, by a week at most.")
    return answer({"items": await floor_claims(parts.capacity, floor, window), "next_cursor": None})


def _bounded(moment: datetime) -> datetime:
    if not EARLIEST < moment < LATEST:
        raise Invalid("The moment lies too far away; choose one between 2000 and 2200.")
    return moment
