"""Reports from outside are reconciled with what the heartbeat knows."""

from __future__ import annotations

from datetime import timedelta

import pytest

from api_client import calling
from dibs.clock import FakeClock
from dibs.sim.soc_world import SocWorld
from watch_harness import Rig, soc_rig

TERM = ("92025", "NB")
SLOT = "92025|NB|00009"


def world_of(*indexes: str) -> SocWorld:
    world = SocWorld()
    for index in indexes:
        world.opens(*TERM, index)
    return world


async def told(made: Rig, status: str, **more: object) -> dict[str, object]:
    body = {"provider": "soc", "slot_key": SLOT, "status": status, "source": "courses.json", **more}
    async with calling(made.parts) as client:
        answer = await client.post("/api/status-events", body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_an_opening_the_heartbeat_missed_is_announced_once(dsn: str, clock: FakeClock):
    world = world_of("00001")
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        clock.advance(1)
        assert (await told(made, "Open"))["verdict"] == "opened"
        (event,) = await made.events()
        assert (event.slot_key, event.detected_by, event.seat_delta) == (SLOT, "section_status_event", 1)
        assert event.subject == {"term_id": "92025", "campus_code": "NB", "index_number": "00009"}
        assert (await told(made, "Open"))["verdict"] == "already_open"
        world.opens(*TERM, "00009")
        await made.step()
        await made.step()
        assert len(await made.events()) == 1


async def test_an_opening_that_the_list_never_shows_closes_again(dsn: str, clock: FakeClock):
    async with soc_rig(dsn, clock, world_of("00001")) as made:
        await made.poll()
        clock.advance(1)
        await told(made, "Open")
        # For a minute the list may be older than the report.
        for _ in range(3):
            await made.step()
        assert [event.status_after for event in await made.events()] == ["Open"]
        for _ in range(3):
            await made.step()
        assert [event.status_after for event in await made.events()] == ["Open", "Closed"]


async def test_an_explicit_close_clears_the_window(dsn: str, clock: FakeClock):
    async with soc_rig(dsn, clock, world_of("00001")) as made:
        await made.poll()
        for status in ("Open", "Closed", "Open"):
            clock.advance(1)
            await told(made, status)
        found = await made.events()
        assert [event.status_after for event in found] == ["Open", "Closed", "Open"]
        assert [event.generation for event in found] == [1, 1, 2]
        assert len({event.dedupe_key for event in found}) == 3


async def test_a_cached_list_does_not_undo_a_close_at_once(dsn: str, clock: FakeClock):
    world = world_of("00001", "00009")
    async with soc_rig(dsn, clock, world) as made:
        await made.poll()
        clock.advance(1)
        assert (await told(made, "Closed"))["verdict"] == "closed"
        await made.step()
        assert [event.status_after for event in await made.events()] == ["Closed"]
        await made.step(60)
        assert [event.status_after for event in await made.events()] == ["Closed", "Open"]


async def test_a_report_older_than_the_last_look_is_stale(dsn: str, clock: FakeClock):
    async with soc_rig(dsn, clock, world_of("00001", "00009")) as made:
        await made.poll()
        await made.step()
        before = (clock.now() - timedelta(seconds=5)).isoformat()
        assert (await told(made, "Closed", observed_at=before))["verdict"] == "stale"
        assert await made.events() == []


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"slot_key": "nonsense"}, 422, "slot_key"),
        ({"provider": "nobody"}, 422, "provider"),
        ({"status": "Ajar"}, 422, "status"),
        ({"observed_at": "yesterday"}, 422, "observed_at"),
        ({"observed_at": "2031-01-01T00:00:00Z"}, 422, "observed_at"),
        ({"slot_key": "12026|NK|00001"}, 404, ""),
        ({"extra": 1}, 422, "extra"),
    ],
)
async def test_bad_reports_are_refused(dsn: str, clock: FakeClock, change: dict[str, object], status: int, field: str):
    body = {"provider": "soc", "slot_key": SLOT, "status": "Open", "source": "me"} | change
    async with soc_rig(dsn, clock, world_of("00001")) as made, calling(made.parts) as client:
        answer = await client.post("/api/status-events", body)
        assert answer.status_code == status, answer.text
        assert field in answer.text
