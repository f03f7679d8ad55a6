"""What a look cannot know, and what must not be concluded from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest
from aiohttp import web

from dibs.clock import FakeClock
from dibs.config.sections import ResyPace
from dibs.openings import list_slots
from dibs.sim.faults import Fault
from dibs.sim.json_world import JsonWorld
from dibs.sim.resy_world import ResyWorld
from dibs.sim.soc_world import SocWorld
from watch_harness import DAY, Rig, json_rig, resy_rig, soc_rig

TERM = ("92025", "NB")
SOC = "soc:92025:NB"
EVENING = f"resy:{DAY}_20:30"
AFTERNOON = f"resy:{DAY}_15:30"
AT_SIX, AT_EIGHT = f"{DAY} 18:00:00", f"{DAY} 20:00:00"


async def in_hub(made: Rig) -> set[str]:
    return {slot.slot_key for slot in await list_slots(made.parts.db, limit=500)}


async def told(made: Rig) -> list[tuple[str, str]]:
    return [(event.slot_key, event.status_after) for event in await made.events()]


# The gate, where looks were partial ---------------------------------------------------------------------


@pytest.mark.parametrize("max_pages", [5, 6])
async def test_an_empty_answer_is_doubted_where_no_look_was_ever_whole(dsn: str, clock: FakeClock, max_pages: int):
    """The watch only ever saw the first pages: by its cap, or because the last one failed at first."""
    world = ResyWorld(list_empty=False)
    for venue in range(1, 61):
        world.opens(venue, AT_EIGHT)
    async with resy_rig(dsn, clock, world, per_page=10, max_pages=max_pages, party_sizes=[2]) as made:
        if max_pages == 6:
            world.faults.script.extend([None] * 5 + [Fault.HTML])
        assert (await made.poll_one()).open_count == 50
        world.faults.script.append(Fault.EMPTY)
        assert (await made.step_one(20)).outcome == "suspect"
        for _ in range(4):
            await made.step(40)
        assert await made.events() == []


async def test_a_drop_is_doubted_although_a_partial_look_came_before(dsn: str, clock: FakeClock):
    """What a failed page hid is not missing yet, so it goes missing all at once."""
    world = ResyWorld()
    for venue in range(1, 101):
        world.opens(venue, AT_EIGHT)
    async with resy_rig(dsn, clock, world, per_page=20, party_sizes=[2]) as made:
        await made.poll_one()
        world.faults.script.extend([None, None, Fault.HTML])
        assert (await made.step_one()).outcome == "partial"
        there = {venue: dict(starts) for venue, starts in world.slots.items()}
        for venue in range(41, 101):
            world.slots[venue] = {}
        assert (await made.step_one(20)).outcome == "suspect"
        world.slots = there
        for _ in range(2):
            await made.step(40)
        assert await made.events() == []


async def test_slots_named_as_closed_are_not_missing(dsn: str, clock: FakeClock):
    world = JsonWorld()
    for number in range(40):
        world.opens("yosemite", f"s{number}")
    async with json_rig(dsn, clock, world) as made:
        await made.poll()
        for number in range(40):
            world.closes("yosemite", f"s{number}")
        result = await made.step_one()
        assert (result.outcome, result.closed) == ("changed", 40)
        world.opens("yosemite", "s3")
        await made.step()
        assert len(await made.openings()) == 1


async def test_a_record_that_stays_unreadable_does_not_blind_the_watch(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 20, 1.0)
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        world.faults.always = Fault.BAD_RECORD
        world.closes(*TERM, "00005")
        for _ in range(39):
            assert (await made.step_one()).outcome == "partial"
        assert await made.events() == []
        for _ in range(6):
            await made.step()
        assert await told(made) == [("92025|NB|00005", "Unknown")]
        assert (await made.parts.watches.get(SOC)).status == "healthy"
        world.opens(*TERM, "00005")
        world.closes(*TERM, "00006")
        for _ in range(3):
            await made.step()
        assert (await told(made))[1:] == [("92025|NB|00005", "Open"), ("92025|NB|00006", "Closed")]


# A baseline ----------------------------------------------------------------------------------------------


async def test_a_baseline_believes_a_drop_and_leaves_nothing_behind(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 200, 1.0)
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        for number in range(1, 101):
            world.closes(*TERM, f"{number:05d}")
        assert (await made.step_one()).outcome == "suspect"
        result = await made.parts.poller.poll_now(SOC, quietly=True)
        assert (result.outcome, result.open_count, len(await in_hub(made))) == ("bootstrapped", 100, 100)
        assert await made.events() == []
        world.opens(*TERM, "00007")
        await made.step(200)
        assert await made.openings() == ["92025|NB|00007"]


async def test_a_baseline_does_not_believe_that_everything_is_gone(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 200, 1.0)
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        world.faults.always = Fault.EMPTY
        await made.step()
        result = await made.parts.poller.poll_now(SOC, quietly=True)
        assert (result.outcome, result.reason) == ("suspect", "empty_answer")
        world.faults.always = None
        for _ in range(4):
            await made.step(30)
        assert await made.events() == []


async def test_a_baseline_brings_back_what_was_only_out_of_sight(dsn: str, clock: FakeClock):
    world = ResyWorld()
    for venue in range(1, 5):
        world.opens(venue, AT_EIGHT)
    pace = ResyPace(gap_ms=0, degraded_gap_ms=0, pause_s=0)
    async with resy_rig(dsn, clock, world, per_page=2, party_sizes=[2], pace=pace) as made:
        await made.poll_one()
        for _ in range(46):
            world.faults.script.extend([None, Fault.HTML])
            await made.step()
        world.faults.script.clear()
        assert await in_hub(made) == {f"1|{AT_EIGHT}", f"2|{AT_EIGHT}"}
        await made.parts.poller.poll_now(EVENING, quietly=True)
        assert len(await in_hub(made)) == 4
        world.closes(4, AT_EIGHT)
        await made.step()
        world.opens(4, AT_EIGHT)
        await made.step()
        assert await made.openings() == [f"4|{AT_EIGHT}"]


# What somebody else reported -----------------------------------------------------------------------------


async def test_a_cached_list_does_not_close_what_was_reported_open(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.opens(*TERM, "00001")
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        clock.advance(1)
        await made.parts.ingest.reconcile("soc", "92025|NB|00009", "Open", "registrar")
        await made.step(14)
        await made.step()
        world.opens(*TERM, "00009")
        await made.step()
        assert await told(made) == [("92025|NB|00009", "Open")]
        world.closes(*TERM, "00009")
        for _ in range(4):
            await made.step()
        assert (await told(made))[1:] == [("92025|NB|00009", "Closed")]


# Trouble on a later page ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("fault", "rest_s"), [(Fault.LIMITED, 120.0), (Fault.SERVER_ERROR, 15.0)])
async def test_trouble_on_a_later_page_slows_everybody_down(dsn: str, clock: FakeClock, fault: Fault, rest_s: float):
    world = ResyWorld()
    for venue in range(1, 7):
        world.opens(venue, AT_EIGHT)
    async with resy_rig(dsn, clock, world, per_page=2, party_sizes=[2]) as made:
        await made.poll_one()
        world.faults.retry_after_s = 120 if fault is Fault.LIMITED else None
        world.faults.script.extend([None, fault])
        assert (await made.step_one()).outcome == "partial"
        asked = len(made.server.log.entries)
        await made.step(rest_s - 1)
        assert len(made.server.log.entries) == asked
        assert (await made.parts.watches.get(EVENING)).status == "degraded"
        assert (await made.step_one(20)).outcome in ("changed", "unchanged")
        assert await made.events() == []


# Watches that overlap --------------------------------------------------------------------------------------


@dataclass
class Meddling(ResyWorld):
    """Something happens just before a page is answered."""

    before: Callable[[str, int], Awaitable[web.Response | None]] | None = None

    async def _search(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        answer = await self.before(asked["slot_filter"]["time_filter"], asked["page"]) if self.before else None
        return answer or await ResyWorld._search(self, request)


async def test_what_opened_while_a_look_was_under_way_was_not_seen_by_it(dsn: str, clock: FakeClock):
    """The evening's first page is answered, then a table opens that the afternoon has no reason to announce."""
    world = Meddling()
    world.opens(1, f"{DAY} 13:00:00")
    for venue in range(2, 7):
        world.opens(venue, AT_EIGHT)
    slots = ("20:30", "15:30")
    async with resy_rig(dsn, clock, world, time_slots=slots, per_page=2, party_sizes=[2]) as made:
        await made.poll()
        clock.advance(100)

        async def meanwhile(anchor: str, page: int) -> None:
            if (anchor, page) == ("20:30", 2) and AT_SIX not in world.venue(1):
                clock.advance(2)
                world.opens(1, AT_SIX)
                await made.parts.poller.poll_now(AFTERNOON)
                clock.advance(2)

        world.before = meanwhile
        await made.parts.poller.poll_now(EVENING)
        assert await made.events() == []
        clock.advance(15)
        await made.parts.poller.poll_now(EVENING)
        await made.parts.poller.poll_now(AFTERNOON)
        assert await made.openings() == [f"1|{AT_SIX}"]


async def test_who_cannot_see_a_slot_does_not_vouch_for_it(dsn: str, clock: FakeClock):
    world = Meddling()
    world.opens(1, AT_SIX)
    for venue in range(2, 5):
        world.opens(venue, AT_EIGHT)
        world.opens(venue, f"{DAY} 13:00:00")
    pace = ResyPace(gap_ms=0, degraded_gap_ms=0, pause_s=0)
    slots = ("20:30", "15:30")
    async with resy_rig(dsn, clock, world, time_slots=slots, per_page=2, party_sizes=[2], pace=pace) as made:
        await made.poll()

        async def half_blind(anchor: str, page: int) -> web.Response | None:
            return web.Response(status=503) if anchor == "15:30" and page > 1 else None

        world.before = half_blind
        world.closes(1, AT_SIX)
        for _ in range(45):
            await made.step()
        assert (f"1|{AT_SIX}", "Closed") in await told(made)
        world.opens(1, AT_SIX)
        for _ in range(2):
            await made.step()
        assert await made.openings() == [f"1|{AT_SIX}"]


async def test_a_slot_does_not_stay_open_on_the_word_of_a_watch_that_sleeps(dsn: str, clock: FakeClock):
    world = ResyWorld()
    world.opens(1, AT_SIX)
    world.opens(2, AT_SIX)
    async with resy_rig(dsn, clock, world, time_slots=("20:30", "15:30"), party_sizes=[2]) as made:
        await made.poll()
        clock.advance(5)
        world.closes(1, AT_SIX)
        result = await made.parts.poller.poll_now(EVENING)
        assert (result.closed, result.open_count) == (0, 1)
        await made.parts.watches.change(AFTERNOON, paused=True)
        await made.step()
        assert await in_hub(made) == {f"2|{AT_SIX}"}
        assert await told(made) == [(f"1|{AT_SIX}", "Closed")]
        world.opens(1, AT_SIX)
        await made.step()
        assert await made.openings() == [f"1|{AT_SIX}"]


async def test_a_slot_whose_last_witness_is_removed_can_open_again(dsn: str, clock: FakeClock):
    world = ResyWorld()
    world.opens(1, AT_SIX)
    world.opens(2, AT_SIX)
    async with resy_rig(dsn, clock, world, time_slots=("20:30", "15:30"), party_sizes=[2]) as made:
        await made.poll()
        clock.advance(5)
        world.closes(1, AT_SIX)
        await made.parts.poller.poll_now(EVENING)
        await made.parts.watches.remove(AFTERNOON)
        assert await in_hub(made) == {f"2|{AT_SIX}"}
        world.opens(1, AT_SIX)
        await made.step()
        assert await made.openings() == [f"1|{AT_SIX}"]
