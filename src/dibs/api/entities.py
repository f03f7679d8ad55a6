"""Entities: restaurants, foods and attributes."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response

from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import PartsOf, needs
from dibs.api.places_answers import EntityShown, show_entity

router = APIRouter(prefix="/api", tags=["demand"])

EntityId = Annotated[int, Path(ge=1, lt=2**63)]
EntityTypeName = Literal["restaurant", "food", "food_attribute", "restaurant_attribute"]


@router.get("/entities", dependencies=needs("read"), responses=shows(EntityShown, many=True), summary="What is known")
async def list_entities(
    parts: PartsOf,
    type: EntityTypeName | None = None,  # noqa: A002 -- the contract's name of the parameter
    location_key: Annotated[str | None, Query(max_length=60)] = None,
    q: Annotated[str | None, Query(max_length=200)] = None,
    status: Literal["known", "candidate", "rejected"] = "known",
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    after = decode_cursor(cursor, tuple[int])
    found = await parts.entities.list(
        limit=limit + 1,
        after=after[0] if after else 0,
        entity_type=type,
        location_key=location_key,
        text=q,
        status=status,
    )
    return page([show_entity(one) for one in found], limit, lambda one: [one.entity_id])


@router.get("/entities/{entity_id}", dependencies=needs("read"), responses=shows(EntityShown), summary="One entity")
async def get_entity(parts: PartsOf, entity_id: EntityId) -> Response:
    return answer(show_entity(await parts.entities.get(entity_id)))
