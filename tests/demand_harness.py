"""A small world for demand: communities, restaurants, foods, and who mentioned what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dibs.demand.model import Outcome, Query, Run, RunResult, Term
from dibs.parts import Parts
from dibs.places import entity_store, mention_store
from dibs.places.geo import Bounds, Point
from dibs.places.model import Community, EntityType, Mention, NewEntity, Post

AUSTIN = Point(30.2672, -97.7431)
DALLAS = Point(32.7767, -96.7970)
NOWHERE = Point(0.0, -140.0)


def around(point: Point, degrees: float = 0.2) -> Bounds:
    """A viewport about 24 miles wide at these latitudes."""
    return Bounds(Point(point.lat + degrees, point.lng + degrees), Point(point.lat - degrees, point.lng - degrees))


def wire(bounds: Bounds) -> dict[str, dict[str, float]]:
    """The viewport as a body has it."""
    return {
        "ne": {"lat": bounds.ne.lat, "lng": bounds.ne.lng},
        "sw": {"lat": bounds.sw.lat, "lng": bounds.sw.lng},
    }


@dataclass
class World:
    """Makes things exist."""

    parts: Parts
    posts: int = 0

    async def cities(self) -> None:
        await self.parts.communities.put("austinfood", AUSTIN, posts_per_day=50)
        await self.parts.communities.put("dallasfood", DALLAS, posts_per_day=5)

    async def community(self, key: str, center: Point, posts_per_day: float | None = None) -> Community:
        return await self.parts.communities.put(key, center, posts_per_day=posts_per_day)

    async def entity(self, entity_type: str, name: str, place: str | None = None) -> int:
        new = NewEntity(EntityType(entity_type), name, place)
        async with self.parts.db.transaction() as connection:
            ensured = await entity_store.ensure_entities(connection, entities=[new], now=self.parts.clock.now())
        return ensured[0].entity_id

    async def restaurant(self, name: str, place: str = "austinfood", at: Point | None = AUSTIN) -> int:
        entity_id = await self.entity("restaurant", name, place)
        if at:
            async with self.parts.db.transaction() as connection:
                await entity_store.attach_place(
                    connection,
                    entity_id=entity_id,
                    google_place_id=f"place-{entity_id}",
                    lat=at.lat,
                    lng=at.lng,
                    now=self.parts.clock.now(),
                )
        return entity_id

    async def post(self, place: str = "austinfood") -> str:
        self.posts += 1
        post_id = f"t3_p{self.posts}"
        post = Post(post_id, place, "title", "", "/r/x", 1, 0, self.parts.clock.now())
        async with self.parts.db.transaction() as connection:
            await mention_store.put_posts(connection, posts=[post], now=self.parts.clock.now())
        return post_id

    async def mentions(
        self, restaurant_id: int, subject_id: int | None, count: int = 1, at: datetime | None = None
    ) -> None:
        """As many posts that speak of the restaurant, with the food if there is one."""
        for _ in range(count):
            post_id = await self.post()
            mention = Mention(restaurant_id, subject_id, post_id, post_id, 1, at or self.parts.clock.now())
            async with self.parts.db.transaction() as connection:
                await mention_store.replace_mentions(connection, post_ids=[post_id], mentions=[mention])

    async def run_next(self, outcome: Outcome = Outcome.SUCCESS, error: str | None = None) -> Run | None:
        """What a worker does, without the outside world: claims one request and settles it."""
        runs = await self.parts.collection_queue.claim()
        if not runs:
            return None
        await self.parts.collection_queue.settle(runs[0], RunResult(outcome, error=error))
        return runs[0]


def query(
    text: str = "", terms: Sequence[tuple[str, str]] = (), at: Point | None = AUSTIN, degrees: float = 0.2
) -> Query:
    """A search in a viewport around a point, or without one."""
    given = tuple(Term(term, EntityType(kind)) for term, kind in terms)
    return Query(text, given, around(at, degrees) if at else None)
