"""The loops themselves, by the real clock: a search rings, collection runs, places are looked up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from demand_harness import query
from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Config
from dibs.config.sections import Http
from dibs.demand.loops import loops
from dibs.parts import Parts
from dibs.places.geo import Point
from dibs.sim.food_world import City, FoodWorld

AUSTIN = City("austinfood", "Austin", "TX", Point(30.2672, -97.7431))


@pytest.fixture
def world() -> FoodWorld:
    return FoodWorld(SystemClock(), seed=3, cities=(AUSTIN,))


@pytest.fixture
async def working(world: FoodWorld, dsn: str) -> AsyncIterator[Parts]:
    async with world.running() as collect:
        config = Config(http=Http(allow_private_targets=True), collect=collect)
        async with parts_on(dsn, config, SystemClock()) as parts:
            started = loops(parts.collector, parts.enricher, parts.sampler, parts.wake)
            for loop in started:
                loop.start()
            try:
                yield parts
            finally:
                for loop in started:
                    await loop.stop()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await condition():
            await asyncio.sleep(0.1)


async def test_the_loops_bring_what_was_missing(working: Parts, world: FoodWorld) -> None:
    await working.communities.put("austinfood", AUSTIN.center)
    wanted = query(terms=[("ramen", "food")])
    first = await working.search(wanted)
    assert first.restaurants == []
    assert first.on_demand.queued

    async def found() -> bool:
        return len((await working.search(wanted)).restaurants) >= 3

    await until(found)
    answer = await working.search(wanted)
    assert {one.google_place_id for one in answer.restaurants} <= set(world.places.places)
