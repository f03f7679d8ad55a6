"""A small world for what is wanted: providers that know places, people who look for them, people who ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from dibs.config import Config, JsonProvider, ResyProvider, SocProvider
from dibs.config.sections import Wanted as Rule
from dibs.demand.decide import Sighting
from dibs.demand.model import Reason, Wanted
from dibs.notify.model import Subscription
from dibs.openings import SlotState, put_slots, slot_id_of
from dibs.parts import Parts
from dibs.places.geo import Point
from dibs.places.model import EntityType
from dibs.wanted import Asked, AskWish

AUSTIN = Point(30.2672, -97.7431)
AUSTIN_BOX = [30.1, -97.9, 30.5, -97.5]
NEW_YORK_BOX = [40.691, -74.030, 40.882, -73.910]
OCCURRENCES = 5


def wanted_config(**rule: object) -> Config:
    """A resy-like provider in Austin, another in New York, a JSON one anywhere, and courses."""
    return Config(
        providers={
            "resy": ResyProvider(bounding_box=AUSTIN_BOX, timezone="America/Chicago", time_slots=["20:30"]),
            "tables": ResyProvider(bounding_box=NEW_YORK_BOX, time_slots=["20:30"]),
            "camps": JsonProvider(url="https://camps.example/{park}", slots="slots[]"),
            "soc": SocProvider(),
        },
        wanted=Rule(occurrences=OCCURRENCES, window_days=7, **rule),  # pyright: ignore[reportArgumentType] -- any key of the section
    )


@dataclass
class Scene:
    """Makes things known and wanted."""

    parts: Parts

    async def known(self, provider: str, group: str, title: str | None, *, watch_key: str = "") -> None:
        """The provider was seen to have a place, which is full now."""
        now = self.parts.clock.now()
        key = f"{group}|2026-03-20 20:30:00"
        slot = SlotState(
            slot_id=slot_id_of(provider, key),
            provider=provider,
            slot_key=key,
            watch_key=watch_key or f"{provider}:x",
            group_key=group,
            starts_at=now + timedelta(days=18),
            open=False,
            opened_at=None,
            closed_at=now,
            last_seen_at=now,
            misses=0,
            generation=1,
            payload={} if title is None else {"title": title},
        )
        async with self.parts.db.transaction() as connection:
            await put_slots(connection, [slot])

    async def looked_for(
        self, term: str, times: int = 1, *, kind: EntityType = EntityType.RESTAURANT, place: str | None = "austinfood"
    ) -> int:
        """So often somebody looked for it, and did not find it; the request's id."""
        told = None
        for _ in range(times):
            told = await self.parts.sight([Wanted(term, kind, Reason.UNRESOLVED)], Sighting(0, 12.0, place))
        assert told is not None
        return told.targets[0].request_id

    async def ask(self, request_id: int, name: str = "ann", channel: str = "webhook") -> Asked:
        address = f"https://people.example/{name}" if channel == "webhook" else f"{name}@example.org"
        return await self.parts.wanted.ask.ask(request_id, AskWish(channel, address))

    async def status(self, request_id: int) -> str:
        return (await self.parts.wanted.watch.get(request_id)).status

    async def subscriptions(self, topic: str, *, live: bool = True) -> list[Subscription]:
        found = await self.parts.notify.manage.list(topic=topic, limit=500)
        return [one for one in found if not live or one.status != "unsubscribed"]

    async def watch_keys(self, provider: str = "resy") -> list[str]:
        return [watch.key for watch in await self.parts.watches.page(limit=500, provider=provider)]

    async def settle_all(self) -> None:
        """Every ask that is due, as the loop does it."""
        while await self.parts.wanted.tell.run_once() == 0:
            pass

    async def rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        async with self.parts.db.connection() as connection:
            cursor = await connection.execute(statement.encode(), tuple(values))
            return list(await cursor.fetchall())


async def scene_with_uchi(parts: Parts) -> Scene:
    """One restaurant is known, and full."""
    scene = await make_scene(parts)
    await scene.known("resy", "834", "Uchi")
    return scene


async def make_scene(parts: Parts) -> Scene:
    await parts.communities.put("austinfood", AUSTIN, posts_per_day=50)
    return Scene(parts)


def first_day(now: datetime) -> str:
    return now.date().isoformat()
