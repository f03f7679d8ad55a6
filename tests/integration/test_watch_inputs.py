"""Answers and settings that no provider should send: one bad record never kills the rest, and nothing is silent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
from aiohttp import web

from api_client import calling
from dibs.clock import FakeClock, SystemClock
from dibs.config import JsonProvider
from dibs.openings import list_slots
from dibs.sim.faults import Fault
from dibs.sim.json_world import JsonWorld
from dibs.sim.resy_world import ResyWorld
from dibs.sim.server import SimServer
from dibs.sim.soc_world import SocWorld
from dibs.sources.soc_catalog import read_catalog
from watch_harness import DAY, NO_GAP, STEADY, Rig, json_rig, resy_rig, rig, soc_rig

KEY = "camps:yosemite_2026-07"
TERM = ("92025", "NB")


@asynccontextmanager
async def answering(dsn: str, clock: FakeClock, body: bytes, status: int = 200) -> AsyncIterator[Rig]:
    """A watch on an API that answers just this."""

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(status=status, body=body, content_type="application/json")

    async with SimServer({("GET", "/all"): answer}).running() as server:
        camps = JsonProvider(url=f"{server.url}/all", slots="@", cadence=STEADY, pace=NO_GAP)
        async with rig(dsn, clock, server, {"camps": camps}) as made:
            await made.parts.watches.add("camps", {})
            yield made


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (rb'[{"id": 1}, {"id": 2, "title": "Caf\ud83d"}]', 2),
        (b'[{"id": 1}, {"id": 2, "title": "Caf\xff"}]', 2),
        (b'[{"id": 1}, {"id": 2, "deep": ' + b"[" * 900 + b"]" * 900 + b"}]", 2),
        (rb'[{"id": 1}, {"id": "\u0000"}, {"id": "x", "starts_at": "0001-01-01"}]', 2),
    ],
    ids=["half a sign", "not utf-8", "deep", "nul"],
)
async def test_one_odd_record_does_not_hide_the_others(dsn: str, clock: FakeClock, body: bytes, found: int):
    async with answering(dsn, clock, body) as made:
        result = await made.poll_one()
        assert (result.outcome, result.open_count) == ("bootstrapped", found)


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (b"[" * 5000 + b"]" * 5000, 200, "not_json"),
        (b"", 304, "http_304: nobody asked whether it changed"),
    ],
)
async def test_what_is_no_answer_is_a_failure_with_a_reason(
    dsn: str, clock: FakeClock, body: bytes, status: int, reason: str
):
    async with answering(dsn, clock, body, status) as made:
        result = await made.poll_one()
        assert (result.outcome, result.reason) == ("failed", reason)
        watch = await made.parts.watches.get("camps:")
        assert (watch.status, watch.reason, watch.last_good_at) == ("degraded", reason, None)


class Odd(ResyWorld):
    """A world whose first venue is named and identified in ways nobody would expect."""

    odd: dict[str, Any]

    def _hit(self, venue_id: int, starts: list[str], size: int, asked: dict[str, Any]) -> dict[str, Any]:
        hit = ResyWorld._hit(self, venue_id, starts, size, asked)
        return {**hit, **self.odd} if venue_id == 1 else hit


@pytest.mark.parametrize(
    "odd",
    [
        {"id": "a|b"},
        {"id": "²"},
        {"id": 10**30},
        {"availability": {"slots": [{"date": {"start": "0023-01-01 20:00:00"}}]}},
        {"location": [[[[]]]], "images": {"a": 1}, "cuisine": 7},
    ],
    ids=["bar", "superscript", "large", "year 23", "shapes"],
)
async def test_an_odd_venue_does_not_hide_the_others(dsn: str, clock: FakeClock, odd: dict[str, Any]):
    world = Odd()
    world.odd = odd
    world.opens(1, f"{DAY} 20:00:00")
    world.opens(2, f"{DAY} 20:00:00")
    async with resy_rig(dsn, clock, world, party_sizes=[2]) as made:
        assert (await made.poll_one()).open_count == 2
        world.opens(3, f"{DAY} 20:00:00")
        await made.step()
        assert await made.openings() == [f"3|{DAY} 20:00:00"]


async def test_the_older_shape_is_described_as_well_as_the_newer(dsn: str, clock: FakeClock):
    world = ResyWorld(shape="nested")
    world.venue(1)
    world.opens(2, f"{DAY} 20:00:00")
    async with resy_rig(dsn, clock, world, party_sizes=[2]) as made:
        await made.poll()
        world.opens(1, f"{DAY} 20:00:00")
        await made.step()
        (event,) = await made.events("Open")
        assert event.payload["title"] == "Little Harbor 1"
        assert "/venues/venue-1?" in event.payload["url"]
        assert event.payload["seating"] == ["Dining Room"]


def catalog(*sections: dict[str, Any], course: str = "01:198:111") -> bytes:
    return msgspec.json.encode([{"courseString": course, "title": "T", "sections": list(sections)}])


async def test_sections_that_cannot_be_are_left_out_of_the_catalog(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.opens(*TERM, "00002")
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        clock.advance(1000)
        odd = [{"index": "9214", "openStatus": True}, {"index": "0000\x001"}, {"index": "5" * 9000}, {"index": None}]
        found = read_catalog(catalog(*odd, {"index": "00001", "openStatus": True}, course="c" * 9000))
        assert (list(found.sections), found.skipped) == (["00001"], 4)
        await made.parts.catalogs.put("soc", *TERM, found, "x")
        assert await made.openings() == ["92025|NB|00001"]


def test_a_course_with_odd_text_does_not_hide_the_others():
    body = catalog({"index": "00001"})[:-1] + b',{"courseString":"a","title":"\xff","sections":[{"index":"00002"}]}]'
    assert set(read_catalog(body).sections) == {"00001", "00002"}


async def test_the_catalog_fills_in_for_a_silent_list_although_it_did_not_change(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 20, 1.0)
    world.closes(*TERM, "00005")
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        await made.parts.catalogs.run_once()
        for _ in range(40):
            await made.step()
        world.faults.always = Fault.HTML
        world.opens(*TERM, "00005")
        for pause in (301, 901, 901):
            clock.advance(pause)
            await made.parts.catalogs.run_once()
        assert await made.openings() == ["92025|NB|00005"]


async def test_a_section_that_is_out_of_sight_is_not_brought_back_by_the_catalog(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 20, 1.0)
    async with soc_rig(dsn, clock, world, catalog_only=True, catalog_interval_s=60.0) as made:
        await made.parts.catalogs.run_once()
        await made.poll()
        world.faults.always = Fault.BAD_RECORD
        world.closes(*TERM, "00005")
        for _ in range(42):
            await made.step()
        assert len(await list_slots(made.parts.db, limit=100)) == 19
        await made.parts.catalogs.run_once()
        assert len(await list_slots(made.parts.db, limit=100)) == 19


async def test_catalogs_wait_for_each_other_and_none_fails(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 20, 1.0)
    world.fill("92025", "NK", 20, 1.0)
    async with soc_rig(dsn, clock, world) as made:
        await made.parts.watches.add("soc", {"term": "92025", "campus": "NK"})
        for _ in range(3):
            await made.parts.catalogs.run_once()
            clock.advance(3)
        async with made.parts.db.connection() as connection:
            rows = await (await connection.execute("SELECT items, reason FROM catalog_load")).fetchall()
        assert rows == [(20, ""), (20, "")]


async def test_an_interval_that_is_none_is_refused(dsn: str, clock: FakeClock):
    async with json_rig(dsn, clock, JsonWorld()) as made, calling(made.parts) as client:
        answer = await client.patch(f"/api/watches/{KEY}", {"cadence": {"interval_s": 1e13}})
        assert answer.status_code == 422
        assert "interval_s" in answer.json()["detail"]


async def test_a_watch_that_is_quiet_for_months_still_beats(dsn: str, clock: FakeClock):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with json_rig(dsn, clock, world) as made:
        await made.parts.watches.change(KEY, cadence={"adaptive": True})
        await made.poll()
        async with made.parts.db.connection() as connection:
            await connection.execute("UPDATE watch SET quiet_polls = 1000000")
        assert (await made.step_one(400)).outcome == "unchanged"
        assert (await made.parts.watches.get(KEY)).next_poll_at == clock.now() + timedelta(seconds=240)


async def test_an_error_of_ours_is_shown_at_its_watch_and_hurts_no_other(dsn: str, clock: FakeClock):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    world.opens("zion", "B2")
    async with json_rig(dsn, clock, world) as made:
        await made.parts.watches.add("camps", {"park": "zion", "month": "2026-07"})
        async with made.parts.db.connection() as connection:
            await connection.execute("ALTER TABLE watch_slot ADD CHECK (slot_key NOT LIKE 'A1%')")
        results = {result.watch_key: (result.outcome, result.reason) for result in await made.poll()}
        assert results == {KEY: ("failed", "error: CheckViolation"), "camps:zion_2026-07": ("bootstrapped", "")}
        watch = await made.parts.watches.get(KEY)
        assert (watch.status, watch.reason, watch.consecutive_failures) == ("degraded", "error: CheckViolation", 1)
        assert len(await made.step()) == 2


class Behind(SystemClock):
    """The clock of a host that is a minute late."""

    def now(self) -> datetime:
        return super().now() - timedelta(seconds=60)


async def test_hosts_need_not_agree_on_the_time(dsn: str):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with json_rig(dsn, Behind(), world) as made:  # pyright: ignore[reportArgumentType] -- nothing is advanced
        polled = [len(await made.parts.poller.poll_due()) for _ in range(5)]
        assert sum(polled) == 1
        watch = await made.parts.watches.get(KEY)
        assert watch.last_good_at
        assert abs(watch.last_good_at - SystemClock().now()) < timedelta(seconds=30)
