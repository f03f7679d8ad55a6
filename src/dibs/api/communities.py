"""Communities: the places that demand can be collected in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import PartsOf, needs
from dibs.api.places_answers import CommunityShown, PointBody, show_community

router = APIRouter(prefix="/api", tags=["demand"])

Key = Annotated[str, Path(max_length=60, description="A subreddit's name.")]


class CommunityBody(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"center": {"lat": 30.2672, "lng": -97.7431}, "active": True}]},
    )

    center: PointBody
    active: Annotated[bool, Field(strict=True)] = True
    posts_per_day: Annotated[float, Field(strict=True, ge=0, le=1_000_000, allow_inf_nan=False)] | None = None


@router.put(
    "/communities/{key}", dependencies=needs("admin"), responses=shows(CommunityShown), summary="Make or change one"
)
async def put_community(parts: PartsOf, key: Key, body: CommunityBody) -> Response:
    community = await parts.communities.put(
        key, body.center.read(), active=body.active, posts_per_day=body.posts_per_day
    )
    return answer(show_community(community))


@router.get(
    "/communities", dependencies=needs("read"), responses=shows(CommunityShown, many=True), summary="All communities"
)
async def list_communities(
    parts: PartsOf, active: bool | None = None, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    after = decode_cursor(cursor, tuple[str])
    found = await parts.communities.list(limit=limit + 1, after=after[0] if after else None, active=active)
    return page([show_community(one) for one in found], limit, lambda one: [one.key])


@router.get("/communities/{key}", dependencies=needs("read"), responses=shows(CommunityShown), summary="One community")
async def get_community(parts: PartsOf, key: Key) -> Response:
    return answer(show_community(await parts.communities.get(key)))
