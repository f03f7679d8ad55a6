"""Watching in tests: a world, parts that watch it, and time that moves when told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from dibs.app import parts_on
from dibs.clock import FakeClock
from dibs.config import Cadence, Config, JsonProvider, Policy, Provider, ResyProvider, SocProvider
from dibs.config.sections import Http, Pace, ResyPace
from dibs.openings import EventFilter, OpenEvent, list_events
from dibs.parts import Parts
from dibs.sim.json_world import SLOTS, JsonWorld, provider_url
from dibs.sim.resy_world import ResyWorld
from dibs.sim.server import SimServer
from dibs.sim.soc_world import SocWorld
from dibs.watch import PollResult

INTERVAL_S = 15.0
STEADY = Cadence(interval_s=INTERVAL_S, jitter=0.0)
NO_GAP = Pace(gap_ms=0, degraded_gap_ms=0, timeout_s=5.0)
DAY = "2026-03-20"
PARK = {"park": "yosemite", "month": "2026-07"}


def json_provider(server: SimServer, **more: Any) -> JsonProvider:
    options: dict[str, Any] = {"cadence": STEADY, "pace": NO_GAP, **more}
    return JsonProvider(url=provider_url(server.url), slots=SLOTS, **options)


def resy_provider(server: SimServer, **more: Any) -> ResyProvider:
    pace = ResyPace(gap_ms=0, degraded_gap_ms=0, timeout_s=5.0)
    options: dict[str, Any] = {"cadence": STEADY, "pace": pace, "api_key": "key", **more}
    return ResyProvider(base_url=server.url, **options)


def soc_provider(server: SimServer, **more: Any) -> SocProvider:
    options: dict[str, Any] = {"cadence": STEADY, "pace": NO_GAP, **more}
    return SocProvider(base_url=server.url, **options)


@dataclass
class Rig:
    """Parts that watch simulated providers; `step` lets time pass and polls what is due."""

    parts: Parts
    clock: FakeClock
    server: SimServer

    async def step(self, seconds: float = INTERVAL_S) -> list[PollResult]:
        self.clock.advance(seconds)
        return await self.poll()

    async def poll(self) -> list[PollResult]:
        """Everything that is due, however many rounds it takes."""
        results: list[PollResult] = []
        while round_ := await self.parts.poller.poll_due():
            results += round_
        return results

    async def poll_one(self) -> PollResult:
        (result,) = await self.poll()
        return result

    async def step_one(self, seconds: float = INTERVAL_S) -> PollResult:
        (result,) = await self.step(seconds)
        return result

    async def events(self, status: str | None = None) -> list[OpenEvent]:
        """Oldest first."""
        since = self.clock.now().replace(year=2000)
        found = await list_events(self.parts.db, EventFilter(since=since, status=status), limit=5000)
        return found[::-1]

    async def openings(self) -> list[str]:
        return [event.slot_key for event in await self.events("Open")]


@asynccontextmanager
async def rig(dsn: str, clock: FakeClock, server: SimServer, providers: dict[str, Provider]) -> AsyncIterator[Rig]:
    config = Config(http=Http(allow_private_targets=True), providers=providers)
    async with parts_on(dsn, config, clock) as parts:
        yield Rig(parts, clock, server)


@asynccontextmanager
async def json_rig(dsn: str, clock: FakeClock, world: JsonWorld, **more: Any) -> AsyncIterator[Rig]:
    """One watch on one park of `world`."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(world.serving())
        made = await stack.enter_async_context(rig(dsn, clock, server, {"camps": json_provider(server, **more)}))
        await made.parts.watches.add("camps", PARK)
        yield made


@asynccontextmanager
async def soc_rig(dsn: str, clock: FakeClock, world: SocWorld, **more: Any) -> AsyncIterator[Rig]:
    """One watch on term 92025 at NB."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(world.serving())
        made = await stack.enter_async_context(rig(dsn, clock, server, {"soc": soc_provider(server, **more)}))
        await made.parts.watches.add("soc", {"term": "92025", "campus": "NB"})
        yield made


@asynccontextmanager
async def resy_rig(
    dsn: str, clock: FakeClock, world: ResyWorld, *, time_slots: tuple[str, ...] = ("20:30",), **more: Any
) -> AsyncIterator[Rig]:
    """Watches on one evening."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(world.serving())
        made = await stack.enter_async_context(rig(dsn, clock, server, {"resy": resy_provider(server, **more)}))
        for time_slot in time_slots:
            await made.parts.watches.add("resy", {"date": DAY, "time_slot": time_slot})
        yield made


def policy(**changes: Any) -> Policy:
    return Policy(**changes)
