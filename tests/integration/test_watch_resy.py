"""The resy rules on a real database: venues from zero, overlaps, pages, party sizes."""

from __future__ import annotations

import pytest

from dibs.clock import FakeClock
from dibs.config.sections import ResyPolicy
from dibs.sim.faults import Fault
from dibs.sim.resy_world import PagesIn, ResyWorld, Shape
from watch_harness import DAY, resy_rig


async def test_only_a_venue_that_had_nothing_is_announced(dsn: str, clock: FakeClock):
    world = ResyWorld()
    world.opens(1, f"{DAY} 20:00:00")
    world.venue(2)
    async with resy_rig(dsn, clock, world) as made:
        await made.poll()
        world.opens(1, f"{DAY} 21:00:00")
        world.opens(2, f"{DAY} 20:00:00", (2,))
        result = await made.step_one()
        assert (result.opened, result.open_count) == (2, 3)
        (event,) = await made.events("Open")
        assert event.slot_key == f"2|{DAY} 20:00:00"
        assert event.group_key == "2"
        assert event.subject == {"venue_id": 2, "starts_at": f"{DAY} 20:00:00"}
        assert event.payload["party_sizes"] == [2]
        assert event.payload["url"].startswith("https://www.resy.com/cities/new-york-ny/venues/venue-2?date=")
        assert event.dedupe_key == f"{DAY}_20:30|{event.slot_id}|2026-03-02T12:00"


async def test_a_slot_that_two_watches_see_opens_once_and_closes_once(dsn: str, clock: FakeClock):
    world = ResyWorld()
    world.venue(1)
    async with resy_rig(dsn, clock, world, time_slots=("15:30", "20:30")) as made:
        await made.poll()
        world.opens(1, f"{DAY} 18:00:00")
        results = await made.step()
        assert sorted(result.opened for result in results) == [0, 1]
        assert len(await made.events()) == 1
        world.closes(1, f"{DAY} 18:00:00")
        world.opens(9, f"{DAY} 18:00:00")
        await made.step()
        assert [event.status_after for event in await made.events() if event.group_key == "1"] == ["Open", "Closed"]


async def test_a_flap_inside_half_an_hour_is_the_same_opening(dsn: str, clock: FakeClock):
    world = ResyWorld()
    world.opens(9, f"{DAY} 20:00:00")
    world.venue(1)
    async with resy_rig(dsn, clock, world) as made:
        await made.poll()
        world.opens(1, f"{DAY} 20:00:00")
        await made.step()
        world.closes(1, f"{DAY} 20:00:00")
        await made.step()
        world.opens(1, f"{DAY} 20:00:00")
        await made.step()
        (opening,) = await made.events("Open")
        assert opening.still_open
        world.closes(1, f"{DAY} 20:00:00")
        await made.step()
        world.opens(1, f"{DAY} 20:00:00")
        await made.step(1800)
        first, second = await made.events("Open")
        assert (first.generation, second.generation) == (1, 2)
        assert not first.still_open
        assert second.still_open


async def test_a_failed_page_closes_nothing_and_its_venues_are_unknown(dsn: str, clock: FakeClock):
    world = ResyWorld()
    for venue in range(1, 5):
        world.opens(venue, f"{DAY} 20:00:00")
    async with resy_rig(dsn, clock, world, per_page=2, party_sizes=[2]) as made:
        await made.poll()
        world.closes(4, f"{DAY} 20:00:00")
        world.faults.script.extend([None, Fault.SERVER_ERROR])
        result = await made.step_one()
        assert (result.outcome, result.closed) == ("partial", 0)
        assert await made.events() == []
        assert (await made.parts.watches.get(f"resy:{DAY}_20:30")).status == "degraded"
        # A venue first seen after an unknown look is no opening.
        world.opens(7, f"{DAY} 20:00:00")
        await made.step(30)
        assert [event.status_after for event in await made.events()] == ["Closed"]


async def test_a_page_cap_makes_what_lies_beyond_unknown(dsn: str, clock: FakeClock):
    world = ResyWorld()
    for venue in range(1, 7):
        world.opens(venue, f"{DAY} 20:00:00")
    async with resy_rig(dsn, clock, world, per_page=2, max_pages=2, party_sizes=[2]) as made:
        first = await made.poll_one()
        assert first.open_count == 4
        del world.slots[1]
        # Venue 5 moves onto the second page: it was unknown before, so it is no opening.
        result = await made.step_one()
        assert (result.outcome, result.opened, result.closed) == ("partial", 1, 0)
        assert result.reason == "page_cap"
        assert await made.events() == []
        for _ in range(41):
            await made.step()
        (event,) = await made.events()
        assert (event.group_key, event.status_after) == ("1", "Unknown")


async def test_a_failed_party_size_closes_nothing(dsn: str, clock: FakeClock):
    world = ResyWorld()
    world.opens(1, f"{DAY} 20:00:00", (2,))
    world.opens(2, f"{DAY} 20:00:00", (4,))
    async with resy_rig(dsn, clock, world) as made:
        assert (await made.poll_one()).open_count == 2
        world.faults.script.extend([None, Fault.HTML])
        result = await made.step_one()
        assert (result.outcome, result.closed, result.open_count) == ("partial", 0, 2)
        assert (await made.step_one(30)).outcome in ("unchanged", "changed")
        assert await made.events() == []


@pytest.mark.parametrize("shape", ["object", "scalar", "nested"])
@pytest.mark.parametrize("pages_in", ["meta", "top", "search", "pagination", "nowhere"])
async def test_every_shape_of_the_answer_is_read(dsn: str, clock: FakeClock, shape: Shape, pages_in: PagesIn):
    world = ResyWorld(shape=shape, pages_in=pages_in, seatings=3)
    for venue in range(1, 8):
        world.opens(venue, f"{DAY} 20:00:00")
    async with resy_rig(dsn, clock, world, per_page=3, policy=ResyPolicy(open_rule="each")) as made:
        first = await made.poll_one()
        assert (first.outcome, first.open_count) == ("bootstrapped", 7)
        world.opens(8, f"{DAY} 19:00:00")
        assert (await made.step_one()).opened == 1
        (event,) = await made.events("Open")
        assert event.payload["seating"] == ["Bar", "Dining Room", "Patio"]
        assert event.payload["party_sizes"] == [2, 4]
