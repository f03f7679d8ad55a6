"""What has gone wrong at real providers, replayed: nothing that is not an opening may look like one."""

from __future__ import annotations

import pytest

from dibs.clock import FakeClock
from dibs.openings import list_slots
from dibs.sim.faults import Fault
from dibs.sim.json_world import JsonWorld
from dibs.sim.resy_world import ResyWorld
from dibs.sim.soc_world import SocWorld
from dibs.watch.claim import claim_named
from watch_harness import DAY, json_rig, resy_rig, soc_rig

TERM = ("92025", "NB")


async def test_a_partial_list_for_thirteen_polls_gives_no_event(dsn: str, clock: FakeClock):
    """8,146 of 11,423 indexes, thirteen times in a row within about a minute, then all of them again."""
    world = SocWorld()
    world.fill(*TERM, 11_423, share_open=1.0)
    world.faults.kept_share = 8_146 / 11_423
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        world.faults.always = Fault.PARTIAL
        for _ in range(13):
            clock.advance(5)
            result = await made.parts.poller.poll_now("soc:92025:NB")
            assert (result.outcome, result.opened, result.closed) == ("suspect", 0, 0)
        watch = await made.parts.watches.get("soc:92025:NB")
        assert (watch.status, watch.open_count) == ("suspect", 11_423)
        world.faults.always = None
        clock.advance(5)
        back = await made.parts.poller.poll_now("soc:92025:NB")
        assert (back.outcome, back.open_count) == ("unchanged", 11_423)
        assert (await made.parts.watches.get("soc:92025:NB")).status == "healthy"
        assert await made.events() == []


async def test_an_empty_list_for_a_minute_gives_no_event(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 300)
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        world.faults.always = Fault.EMPTY
        outcomes = [result.outcome for _ in range(12) for result in await made.step(5)]
        assert outcomes
        assert set(outcomes) == {"suspect"}
        world.faults.always = None
        await made.step(30)
        assert await made.events() == []
        assert (await made.parts.watches.get("soc:92025:NB")).status in ("healthy", "degraded")


async def test_a_look_that_is_not_believed_is_no_good_look(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.opens("92025", "NB", "00001")
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        good = clock.now()
        world.faults.always = Fault.EMPTY
        await made.step(60)
        watch = await made.parts.watches.get("soc:92025:NB")
        assert (watch.status, watch.last_polled_at, watch.last_good_at) == ("suspect", clock.now(), good)
        (slot,) = await list_slots(made.parts.db, limit=5)
        assert slot.last_seen_at == good
        world.faults.always = None
        await made.step(60)
        assert (await made.parts.watches.get("soc:92025:NB")).last_good_at == clock.now()


async def test_an_empty_list_pauses_the_provider(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 30)
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        world.faults.always = Fault.EMPTY
        await made.step()
        assert await made.step(29) == []
        assert len(await made.step(1)) == 1


async def test_a_target_that_really_became_empty_is_accepted(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 40, share_open=1.0)
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        for index in list(world.sections[TERM]):
            world.closes(*TERM, index)
        results = [result for _ in range(12) for result in await made.step(30)]
        assert results[-1].outcome == "unchanged"
        assert len(await made.events("Closed")) == 40
        assert (await made.parts.watches.get("soc:92025:NB")).open_count == 0
        world.opens(*TERM, "00007")
        await made.step(30)
        assert await made.openings() == ["92025|NB|00007"]


async def test_a_target_that_was_always_empty_is_fine(dsn: str, clock: FakeClock):
    world = SocWorld()
    async with soc_rig(dsn, clock, world) as made:
        assert (await made.poll_one()).outcome == "bootstrapped"
        assert (await made.step_one()).outcome == "unchanged"
        assert (await made.parts.watches.get("soc:92025:NB")).status == "healthy"


@pytest.mark.parametrize("fault", [Fault.SERVER_ERROR, Fault.HTML, Fault.TRUNCATED, Fault.GARBAGE, Fault.LIMITED])
async def test_after_an_hour_of_failure_exactly_the_net_changes_remain(dsn: str, clock: FakeClock, fault: Fault):
    world = SocWorld()
    world.fill(*TERM, 200, share_open=0.5)
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        before = set(world.open_indexes(*TERM))
        world.faults.always = fault
        for _ in range(60):
            world.move(*TERM, 1)
            for result in await made.step(60):
                assert result.outcome == "failed"
        assert await made.events() == []
        watch = await made.parts.watches.get("soc:92025:NB")
        assert watch.status == "failing"
        assert watch.last_good_at is not None
        assert watch.last_polled_at is not None
        assert watch.last_good_at < watch.last_polled_at
        world.faults.always = None
        after = set(world.open_indexes(*TERM))
        for _ in range(6):
            await made.step(60)
        assert set(await made.openings()) == {f"92025|NB|{index}" for index in after - before}
        closed = {event.slot_key for event in await made.events("Closed")}
        assert closed == {f"92025|NB|{index}" for index in before - after}
        assert (await made.parts.watches.get("soc:92025:NB")).status == "healthy"


async def test_a_login_page_is_a_failure_that_a_person_has_to_mend(dsn: str, clock: FakeClock):
    world = ResyWorld()
    world.opens(1, f"{DAY} 20:00:00")
    async with resy_rig(dsn, clock, world) as made:
        await made.poll()
        world.faults.always = Fault.LOGIN
        result = await made.step_one()
        assert result.outcome == "failed"
        watch = await made.parts.watches.get(f"resy:{DAY}_20:30")
        assert watch.status == "failing"
        assert "signed_out" in watch.reason
        # No retry storm: the next try is minutes away, and the provider is not paused for the others.
        assert await made.step(200) == []
        world.faults.always = None
        assert (await made.step_one(200)).outcome in ("changed", "unchanged")
        assert (await made.parts.watches.get(f"resy:{DAY}_20:30")).status == "healthy"


async def test_a_bad_record_never_kills_the_batch(dsn: str, clock: FakeClock):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    world.faults.script.append(Fault.BAD_RECORD)
    async with json_rig(dsn, clock, world) as made:
        first = await made.poll_one()
        assert (first.outcome, first.open_count) == ("bootstrapped", 1)
        assert first.snapshot_id is not None
        snapshot = await made.parts.watches.snapshot(first.snapshot_id)
        assert snapshot is not None
        assert snapshot.skipped == 1
        world.opens("yosemite", "B2")
        world.faults.script.append(Fault.BAD_RECORD)
        assert (await made.step_one()).opened == 1


async def test_hostile_names_never_kill_the_batch(dsn: str, clock: FakeClock):
    """NUL cannot be stored, and an index cannot hold a name of any length."""
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with json_rig(dsn, clock, world) as made:
        await made.poll()
        for name in ("N\x00UL", "x" * 5000, "'; DROP TABLE slot; --", "{park}%s", "ünï©ode 🏕"):
            world.opens("yosemite", name)
        result = await made.step_one()
        assert (result.outcome, result.opened) == ("partial", 4)
        assert len(await made.openings()) == 4


async def test_a_person_may_ask_through_our_own_pause_but_not_through_theirs(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 30, share_open=1.0)
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        world.faults.script.append(Fault.EMPTY)
        assert (await made.step_one()).outcome == "suspect"
        back = await made.parts.poller.poll_now("soc:92025:NB")
        assert back.outcome == "unchanged"
        assert await made.events() == []
        world.faults.script.append(Fault.LIMITED)
        assert (await made.parts.poller.poll_now("soc:92025:NB")).outcome == "failed"
        provider = made.parts.providers["soc"]
        assert await claim_named(made.parts.db, clock, provider, "soc:92025:NB", "test") is None
