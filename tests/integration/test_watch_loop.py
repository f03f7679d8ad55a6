"""The worker's own loop polls: nobody triggers it."""

from __future__ import annotations

import asyncio

from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Cadence, Config
from dibs.config.sections import Http
from dibs.openings import OpenEvent
from dibs.parts import Parts
from dibs.sim.json_world import JsonWorld
from dibs.watch.loops import loops
from watch_harness import PARK, json_provider


async def test_a_worker_polls_by_itself_and_drains(dsn: str):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with world.serving() as server:
        provider = json_provider(server, cadence=Cadence(interval_s=0.05, jitter=0.0))
        config = Config(http=Http(allow_private_targets=True), providers={"camps": provider})
        async with parts_on(dsn, config, SystemClock()) as parts:
            await parts.stream.start()
            running = loops(parts.poller, parts.windows, parts.catalogs, parts.snapshot_retention, parts.wake)
            for loop in running:
                loop.start()
            try:
                await parts.watches.add("camps", PARK)
                async with asyncio.timeout(30):
                    while (await parts.watches.get("camps:yosemite_2026-07")).status != "healthy":
                        await asyncio.sleep(0.02)
                    world.opens("yosemite", "B2")
                    assert (await _next_opening(parts)).subject["id"] == "B2"
            finally:
                for loop in running:
                    await loop.stop()
                await parts.stream.stop()
            assert server.log.in_flight == 0


async def _next_opening(parts: Parts) -> OpenEvent:
    async for event in parts.stream.follow(0):
        if event is not None:
            return event
    raise AssertionError("the stream ended")
