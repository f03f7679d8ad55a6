"""The statements of search: what is inside a viewport, ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dibs.db import Connection, fetch_all, statements
from dibs.places.entity_store import like
from dibs.places.geo import Bounds, Point, centre, reach_km
from dibs.places.model import Entity

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class Area:
    """Where a search looks and where its distances are measured from."""

    bounds: Bounds | None = None
    user_location: Point | None = None
    location_key: str | None = None


@dataclass(frozen=True, slots=True)
class FoundRestaurant(Entity):
    """A restaurant with why it stands where it stands; `total` counts all that matched."""

    matched_mentions: int
    distance_m: float | None
    score: float
    total: int


@dataclass(frozen=True, slots=True)
class FoundFood(Entity):
    """A food with the found restaurants that are known for it, the most mentioned first."""

    matched_mentions: int
    restaurant_ids: list[int]


# Without a viewport, a restaurant this far from the person stands as if at the edge of one.
REACH_OF_A_PERSON_M = 20_000.0


def values_of(area: Area, limit: int, now: datetime) -> dict[str, Any]:
    bounds = area.bounds
    middle = centre(bounds) if bounds else None
    origin = area.user_location or middle
    return {
        "origin_lat": origin.lat if origin else None,
        "origin_lng": origin.lng if origin else None,
        "boxes": boxes_of(bounds) if bounds else [],
        "reach_m": reach_km(bounds) * 1000 if bounds else REACH_OF_A_PERSON_M if origin else None,
        "north": bounds.ne.lat if bounds else None,
        "south": bounds.sw.lat if bounds else None,
        "east": bounds.ne.lng if bounds else None,
        "west": bounds.sw.lng if bounds else None,
        "location_key": area.location_key,
        "limit": limit,
        "now": now,
    }


def boxes_of(bounds: Bounds) -> list[str]:
    """The viewport on a flat map: one box, or one on each side of the antimeridian."""
    north, east, south, west = bounds.ne.lat, bounds.ne.lng, bounds.sw.lat, bounds.sw.lng
    sides = [(west, 180.0), (-180.0, east)] if bounds.crosses_antimeridian else [(west, east)]
    return [f"(({right!r},{north!r}),({left!r},{south!r}))" for left, right in sides]


async def search_named(
    connection: Connection, *, restaurant_ids: Sequence[int], area: Area, limit: int, now: datetime
) -> list[FoundRestaurant]:
    values = values_of(area, limit, now) | {"restaurant_ids": list(restaurant_ids)}
    return await fetch_all(connection, sql("search_named"), values, FoundRestaurant)


async def search_connected(
    connection: Connection,
    *,
    food_ids: Sequence[int],
    attribute_ids: Sequence[int],
    area: Area,
    limit: int,
    now: datetime,
) -> list[FoundRestaurant]:
    """Restaurants known for any of the foods and for all of the attributes."""
    values = values_of(area, limit, now) | {
        "subject_ids": [*food_ids, *attribute_ids],
        "food_ids": list(food_ids),
        "attribute_ids": list(attribute_ids),
    }
    search = search_in_bounds if area.bounds else search_in_place
    return await search(connection, values)


async def search_in_bounds(connection: Connection, values: dict[str, Any]) -> list[FoundRestaurant]:
    return await fetch_all(connection, sql("search_in_bounds"), values, FoundRestaurant)


async def search_in_place(connection: Connection, values: dict[str, Any]) -> list[FoundRestaurant]:
    return await fetch_all(connection, sql("search_in_place"), values, FoundRestaurant)


async def list_foods_of(
    connection: Connection, *, restaurant_ids: Sequence[int], food_ids: Sequence[int], limit: int
) -> list[FoundFood]:
    values = {"restaurant_ids": list(restaurant_ids), "food_ids": list(food_ids), "limit": limit}
    return await fetch_all(connection, sql("list_foods_of"), values, FoundFood)


async def complete(connection: Connection, *, key: str, location_key: str | None, limit: int) -> list[Entity]:
    values = {"key": key, "pattern": like(key) + "%", "location_key": location_key, "limit": limit}
    return await fetch_all(connection, sql("complete"), values, Entity)


async def complete_loosely(connection: Connection, *, key: str, location_key: str | None, limit: int) -> list[Entity]:
    values = {"key": key, "location_key": location_key, "limit": limit}
    return await fetch_all(connection, sql("complete_loosely"), values, Entity)
