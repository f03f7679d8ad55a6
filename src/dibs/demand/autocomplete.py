"""Suggestions while a person types."""

from __future__ import annotations

from dataclasses import dataclass

from dibs.db import Database
from dibs.demand.search import LONGEST_QUERY
from dibs.errors import Invalid
from dibs.places import community_store, search_store
from dibs.places.communities import points_of
from dibs.places.geo import Bounds, Point, check_bounds, check_point
from dibs.places.model import Entity
from dibs.places.names import key_of, tidy

# A shorter beginning is too little to say that something contains it.
SHORTEST_LOOSE = 3


@dataclass(frozen=True, slots=True)
class Suggestions:
    """What may be meant, best first, and the community it was looked for in."""

    items: list[Entity]
    location_key: str | None


@dataclass(frozen=True, slots=True)
class Autocomplete:
    """Completes names of the place the person looks at, foods and attributes of the whole world."""

    db: Database
    max_community_km: float = 80.0

    async def __call__(
        self, typed: str, bounds: Bounds | None = None, user_location: Point | None = None, limit: int = 10
    ) -> Suggestions:
        if len(typed) > LONGEST_QUERY:
            raise Invalid(f"q is longer than {LONGEST_QUERY} characters", field="q")
        if bounds:
            check_bounds(bounds)
        if user_location:
            check_point(user_location, "user_location")
        points = points_of(bounds, user_location)
        async with self.db.connection() as connection:
            place = None
            if points:
                nearest = await community_store.find_nearest_community(
                    connection, points=points, within_km=self.max_community_km
                )
                place = nearest.location_key if nearest else None
            key = key_of(typed)
            if not tidy(typed):
                return Suggestions([], place)
            found = await search_store.complete(connection, key=key, location_key=place, limit=limit)
            if not found and len(key) >= SHORTEST_LOOSE:
                found = await search_store.complete_loosely(connection, key=key, location_key=place, limit=limit)
        return Suggestions(found, place)
