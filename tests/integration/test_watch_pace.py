"""Pace: pause, degrade, recover, Retry-After, claims released; and no retry storm."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import pytest

from dibs.clock import FakeClock
from dibs.config.sections import Pace
from dibs.sim.faults import Fault
from dibs.sim.json_world import JsonWorld
from dibs.sources import Failure
from dibs.sources import Fault as SourceFault
from dibs.sources import store as pace_store
from dibs.sources.pace import Lane
from dibs.watch.claim import claim_due, claim_named
from dibs.watch.look import Looked
from dibs.watch.settle import Settler
from watch_harness import Rig, json_provider, json_rig, rig

KEY = "camps:yosemite_2026-07"


async def pace_of(made: Rig) -> Any:
    async with made.parts.db.connection() as connection:
        (row,) = await pace_store.list_paces(connection)
    return row


async def test_the_first_failure_pauses_then_degrades_then_recovers(dsn: str, clock: FakeClock):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with json_rig(dsn, clock, world) as made:
        await made.poll()
        world.faults.script.append(Fault.SERVER_ERROR)
        assert (await made.step_one()).outcome == "failed"
        assert (await pace_of(made)).profile == "degraded"
        assert await made.step(14) == []
        for _ in range(5):
            assert (await pace_of(made)).profile == "degraded"
            assert len(await made.step()) == 1
        assert (await pace_of(made)).profile == "normal"


async def test_retry_after_is_honoured(dsn: str, clock: FakeClock):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    world.faults.retry_after_s = 120
    async with json_rig(dsn, clock, world) as made:
        await made.poll()
        world.faults.script.append(Fault.LIMITED)
        assert (await made.step_one()).outcome == "failed"
        assert await made.step(119) == []
        assert len(await made.step(1)) == 1


async def may_ask(made: Rig) -> bool:
    """Whether a person who insists gets through."""
    provider = made.parts.providers["camps"]
    return await claim_named(made.parts.db, made.clock, provider, KEY, "test") is not None


@pytest.mark.parametrize("fault", [Fault.LIMITED, Fault.SERVER_ERROR])
async def test_nobody_asks_through_a_pause_that_the_provider_asked_for(dsn: str, clock: FakeClock, fault: Fault):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with json_rig(dsn, clock, world) as made:
        await made.poll()
        world.faults.retry_after_s = 600
        world.faults.script.append(fault)
        await made.step_one()
        # Whatever else goes wrong meanwhile does not shorten it.
        pace = made.parts.providers["camps"].pace
        async with made.parts.db.transaction() as connection:
            await pace.failed(connection, Failure(SourceFault.TRANSIENT, "timeout"))
        clock.advance(599)
        assert not await may_ask(made)
        clock.advance(1)
        assert await may_ask(made)


async def test_what_succeeds_meanwhile_does_not_end_a_pause(dsn: str, clock: FakeClock):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with json_rig(dsn, clock, world) as made:
        await made.poll()
        world.faults.retry_after_s = 600
        world.faults.script.append(Fault.LIMITED)
        await made.step_one()
        pace = made.parts.providers["camps"].pace
        under_way = [Lane(number, uuid4(), degraded=True) for number in range(5)]
        async with made.parts.db.transaction() as connection:
            await pace.succeeded(connection, under_way)
        assert await made.step(599) == []
        assert len(await made.step(1)) == 1


async def test_a_refusal_releases_the_claims_of_the_others(dsn: str, clock: FakeClock):
    world = JsonWorld()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(world.serving())
        made = await stack.enter_async_context(rig(dsn, clock, server, {"camps": json_provider(server)}))
        for park in "abc":
            await made.parts.watches.add("camps", {"park": park, "month": "2026-07"})
        provider = made.parts.providers["camps"]
        claimed = await claim_due(made.parts.db, clock, provider, most=3, worker="test")
        assert len(claimed) == 3
        refused = Failure(SourceFault.LIMITED, "http_429", 429)
        first = Looked(claimed[0], refused, None, clock.now(), 1, 1)
        settler = Settler(made.parts.db, clock)
        assert (await settler.failure(first, refused)).outcome == "failed"
        # The others are free again, and whoever still holds one writes nothing.
        late = Looked(claimed[1], refused, None, clock.now(), 1, 1)
        assert (await settler.failure(late, refused)).outcome == "lost"
        assert await made.poll() == []
        assert len(await made.step(16)) == 3


async def test_a_mistake_in_one_watch_stops_only_that_one(dsn: str, clock: FakeClock):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with json_rig(dsn, clock, world) as made:
        world.faults.always = Fault.NOT_FOUND
        assert (await made.poll_one()).reason == "http_404"
        watch = await made.parts.watches.get(KEY)
        assert (watch.status, watch.reason) == ("failing", "http_404")
        assert watch.next_poll_at is not None
        assert (watch.next_poll_at - clock.now()).total_seconds() >= 300
        assert (await pace_of(made)).profile == "normal"


async def test_a_lease_that_was_lost_writes_nothing(dsn: str, clock: FakeClock):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with json_rig(dsn, clock, world) as made:
        await made.poll()
        clock.advance(15)
        provider = made.parts.providers["camps"]
        (slow,) = await claim_due(made.parts.db, clock, provider, most=1, worker="slow")
        clock.advance(60)
        world.opens("yosemite", "B2")
        assert (await made.poll_one()).opened == 1
        assert (await made.parts.poller.poll(slow)).outcome == "lost"
        assert len(await made.events()) == 1


async def test_a_provider_that_refuses_all_at_once_stops_nobody_by_a_deadlock(dsn: str, clock: FakeClock):
    """Each failure settles its own watch, pauses the provider, and releases the claims of all the others."""
    world = JsonWorld()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(world.serving())
        pace = Pace(workers=20, gap_ms=0, degraded_workers=20, degraded_gap_ms=0, timeout_s=5.0)
        provider = json_provider(server, pace=pace)
        made = await stack.enter_async_context(rig(dsn, clock, server, {"camps": provider}))
        for number in range(20):
            await made.parts.watches.add("camps", {"park": f"p{number}", "month": "2026-07"})
        world.faults.always = Fault.SERVER_ERROR
        for _ in range(3):
            results = await made.parts.poller.poll_due()
            assert len(results) == 20
            assert {result.outcome for result in results} <= {"failed", "lost"}
            clock.advance(600)
