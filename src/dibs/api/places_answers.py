"""How communities and entities look from outside."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field

from dibs.places.geo import Bounds, Point
from dibs.places.model import Community, Entity

Latitude = Annotated[float, Field(strict=True, ge=-90, le=90, allow_inf_nan=False)]
Longitude = Annotated[float, Field(strict=True, ge=-180, le=180, allow_inf_nan=False)]


class PointBody(BaseModel):
    """A place on earth, in degrees."""

    model_config = ConfigDict(extra="forbid")

    lat: Latitude
    lng: Longitude

    def read(self) -> Point:
        return Point(self.lat, self.lng)


class BoundsBody(BaseModel):
    """A viewport; `ne.lng` west of `sw.lng` crosses the antimeridian."""

    model_config = ConfigDict(extra="forbid")

    ne: PointBody
    sw: PointBody

    def read(self) -> Bounds:
        return Bounds(self.ne.read(), self.sw.read())


class PointShown(Struct, frozen=True):
    lat: float
    lng: float


class CommunityShown(Struct, frozen=True):
    key: str
    location_key: str
    center: PointShown
    active: bool
    posts_per_day: float | None
    activity_from: str | None
    safe_interval_days: float
    sampled_at: datetime | None
    sample_error: str | None
    next_sample_at: datetime | None


class EntityShown(Struct, frozen=True, kw_only=True):
    entity_id: int
    name: str
    type: str
    location_key: str | None
    google_place_id: str | None
    location: PointShown | None
    aliases: list[str]
    mention_count: int
    last_mentioned_at: datetime | None


def show_community(community: Community) -> CommunityShown:
    return CommunityShown(
        community.location_key,
        community.location_key,
        PointShown(community.lat, community.lng),
        community.active,
        community.posts_per_day,
        community.activity_from,
        community.safe_interval_days,
        community.sampled_at,
        community.sample_error,
        community.due_at,
    )


def show_entity(entity: Entity) -> EntityShown:
    return EntityShown(
        entity_id=entity.entity_id,
        name=entity.name,
        type=entity.type,
        location_key=entity.location_key,
        google_place_id=entity.google_place_id,
        location=show_point(entity.location),
        aliases=entity.aliases,
        mention_count=entity.mention_count,
        last_mentioned_at=entity.last_mentioned_at,
    )


def show_point(point: Point | None) -> PointShown | None:
    return PointShown(point.lat, point.lng) if point else None
