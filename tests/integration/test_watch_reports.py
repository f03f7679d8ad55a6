"""Which watch a report is about, what is too old to matter, and how slots are named and found."""

from __future__ import annotations

from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import pytest

from dibs.clock import FakeClock
from dibs.errors import NotFound
from dibs.openings import list_slots
from dibs.sim.json_world import JsonWorld
from dibs.sim.resy_world import ResyWorld
from dibs.sim.soc_world import SocWorld
from watch_harness import DAY, json_rig, resy_rig, rig, soc_provider, soc_rig

TERM = ("92025", "NB")
SOC = "soc:92025:NB"


async def test_a_report_from_before_the_last_look_says_nothing(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.opens(*TERM, "00001")
    async with soc_rig(dsn, clock, world) as made:
        before = clock.now()
        await made.step(10)
        report = made.parts.ingest.reconcile
        never_seen = await report("soc", "92025|NB|00009", "Open", "x", before)
        assert (never_seen.verdict, never_seen.open_event_id) == ("stale", None)
        world.closes(*TERM, "00001")
        world.opens(*TERM, "00002")
        for _ in range(2):
            await made.step()
        between = clock.now() + timedelta(seconds=1)
        await made.step()
        closed = await report("soc", "92025|NB|00001", "Open", "x", between)
        assert closed.verdict == "stale"
        assert (await report("soc", "92025|NB|00001", "Open", "x", clock.now())).verdict == "opened"


async def test_a_report_on_an_evening_is_about_the_watch_of_that_evening(dsn: str, clock: FakeClock):
    """By Greenwich the evening in New York is the next day."""
    world = ResyWorld()
    world.opens(9, f"{DAY} 20:00:00")
    async with resy_rig(dsn, clock, world) as made:
        await made.parts.watches.add("resy", {"date": "2026-03-21", "time_slot": "20:30"})
        await made.poll()
        clock.advance(1)
        await made.parts.ingest.reconcile("resy", f"834|{DAY} 20:30:00", "Open", "x")
        (event,) = await made.events()
        assert event.watch_key == f"resy:{DAY}_20:30"


async def test_a_report_that_no_watch_is_about_is_refused(dsn: str, clock: FakeClock):
    async with json_rig(dsn, clock, JsonWorld()) as made:
        assert (await made.parts.ingest.reconcile("camps", "lone", "Open", "x")).verdict == "opened"
        await made.parts.watches.add("camps", {"park": "zion", "month": "2026-07"})
        with pytest.raises(NotFound):
            await made.parts.ingest.reconcile("camps", "foreign", "Open", "x")


async def test_two_schedules_of_the_same_term_each_have_their_opening(dsn: str, clock: FakeClock):
    """The key that the document gives a section does not say whose it is."""
    worlds = SocWorld(), SocWorld()
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(world.serving()) for world in worlds]
        providers: dict[str, Any] = {"soc": soc_provider(servers[0]), "mirror": soc_provider(servers[1])}
        made = await stack.enter_async_context(rig(dsn, clock, servers[0], providers))
        for name, world in zip(providers, worlds, strict=True):
            world.opens(*TERM, "00001")
            await made.parts.watches.add(name, {"term": "92025", "campus": "NB"})
        await made.poll()
        for world in worlds:
            world.opens(*TERM, "00009")
        await made.step()
        assert sorted(event.provider for event in await made.events("Open")) == ["mirror", "soc"]


async def test_a_venue_that_was_seen_empty_is_announced_although_the_look_was_partial(dsn: str, clock: FakeClock):
    """The pages are capped, as they are with the real service: no look is ever whole."""
    world = ResyWorld()
    for venue in range(1, 7):
        world.opens(venue, f"{DAY} 20:00:00")
    async with resy_rig(dsn, clock, world, per_page=2, max_pages=2, party_sizes=[2]) as made:
        first = await made.poll_one()
        watch = await made.parts.watches.get(f"resy:{DAY}_20:30")
        assert (first.outcome, watch.status, watch.reason) == ("bootstrapped", "degraded", "page_cap")
        world.closes(1, f"{DAY} 20:00:00")
        await made.step()
        world.opens(1, f"{DAY} 21:00:00")
        world.opens(2, f"{DAY} 21:00:00")
        await made.step()
        assert await made.openings() == [f"1|{DAY} 21:00:00"]


async def test_slots_are_found_by_every_watch_that_sees_them(dsn: str, clock: FakeClock):
    world = ResyWorld()
    world.opens(1, f"{DAY} 18:00:00")
    world.opens(2, f"{DAY} 18:00:00")
    watches = [f"resy:{DAY}_15:30", f"resy:{DAY}_20:30"]
    async with resy_rig(dsn, clock, world, time_slots=("15:30", "20:30"), party_sizes=[2]) as made:
        await made.poll()
        for watch in watches:
            assert len(await list_slots(made.parts.db, limit=10, watch=watch)) == 2
        (owner,) = {slot.watch_key for slot in await list_slots(made.parts.db, limit=10)}
        await made.parts.watches.remove(owner)
        (left,) = set(watches) - {owner}
        assert {slot.watch_key for slot in await list_slots(made.parts.db, limit=10)} == {left}


async def test_a_catalog_that_comes_later_names_what_is_open_already(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 3, 1.0)
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        (slot, *_) = await list_slots(made.parts.db, limit=10, watch=SOC)
        assert slot.payload["title"].startswith("Section ")
        await made.parts.catalogs.run_once()
        for slot in await list_slots(made.parts.db, limit=10, watch=SOC):
            assert slot.group_key.startswith("01:198:")
            assert not slot.payload["title"].startswith("Section ")
        assert await made.events() == []
        world.closes(*TERM, "00001")
        for _ in range(2):
            await made.step()
        (closed,) = await made.events()
        assert closed.group_key.startswith("01:198:")


async def test_catalogs_follow_each_other_at_their_own_pace(dsn: str, clock: FakeClock):
    world = SocWorld()
    async with soc_rig(dsn, clock, world) as made:
        for campus in ("NK", "CM", "XX"):
            world.fill("92025", campus, 3, 1.0)
            await made.parts.watches.add("soc", {"term": "92025", "campus": campus})
        passes, waited = 0, 0.0
        while (wait_s := await made.parts.catalogs.run_once()) < 30:
            clock.advance(wait_s)
            passes, waited = passes + 1, waited + wait_s
        assert passes < 20
        assert waited < 20
        async with made.parts.db.connection() as connection:
            rows = await (await connection.execute("SELECT reason FROM catalog_load")).fetchall()
        assert rows == [("",)] * 4
