"""Watches over HTTP: add, show, change, poll, remove; and every wrong way to ask."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from api_client import Client, calling
from dibs.clock import FakeClock
from dibs.sim.json_world import JsonWorld
from dibs.sim.resy_world import ResyWorld
from watch_harness import PARK, Rig, json_provider, resy_provider, rig, soc_provider

KEY = "camps:yosemite_2026-07"


@dataclass
class Stage:
    rig: Rig
    client: Client
    world: JsonWorld


@pytest.fixture
async def stage(dsn: str, clock: FakeClock) -> AsyncIterator[Stage]:
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(world.serving())
        other = await stack.enter_async_context(ResyWorld().serving())
        providers: dict[str, Any] = {
            "camps": json_provider(server),
            "resy": resy_provider(other),
            "soc": soc_provider(other),
        }
        made = await stack.enter_async_context(rig(dsn, clock, server, providers))
        client = await stack.enter_async_context(calling(made.parts))
        yield Stage(made, client, world)


async def add(stage: Stage, **more: Any) -> dict[str, Any]:
    answer = await stage.client.post("/api/watches", {"provider": "camps", "query": PARK, **more})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def test_a_watch_shows_everything_of_the_contract(stage: Stage):
    watch = await add(stage, policy={"dedupe_s": 60}, cadence={"interval_s": 5})
    assert set(watch) >= {
        "key", "provider", "query", "policy", "cadence", "status", "reason", "open_count", "last_polled_at",
        "last_good_at", "last_changed_at", "next_poll_at", "consecutive_failures",
    }  # fmt: skip
    assert watch["policy"]["dedupe_s"] == 60
    assert watch["policy"]["misses_to_close"] == 1
    assert watch["cadence"]["interval_s"] == 5
    assert (await stage.client.get(f"/api/watches/{KEY}")).json() == watch


@pytest.mark.parametrize(
    ("provider", "query", "key"),
    [
        ("resy", {"date": "2026-02-28", "time_slot": "20:30"}, "resy:2026-02-28_20:30"),
        ("soc", {"term": "92025", "campus": "NB"}, "soc:92025:NB"),
        ("soc", {"term": "20259", "campus": "ONLINE_NB"}, "soc:92025:ONLINE_NB"),
        ("camps", {"month": "2026-07", "park": "a/b c"}, "camps:a/b c_2026-07"),
    ],
)
async def test_a_key_is_provider_and_bucket(stage: Stage, provider: str, query: dict[str, str], key: str):
    created = await stage.client.post("/api/watches", {"provider": provider, "query": query})
    assert (created.status_code, created.json()["key"]) == (201, key)
    assert (await stage.client.get(f"/api/watches/{key}")).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "provider"),
        ({"provider": "camps"}, "query"),
        ({"provider": "nobody", "query": {}}, "provider"),
        ({"provider": "camps", "query": {"park": "x"}}, "month"),
        ({"provider": "camps", "query": PARK, "policy": {"open_rule": "some"}}, "policy"),
        ({"provider": "camps", "query": PARK, "policy": {"surprise": 1}}, "policy"),
        ({"provider": "camps", "query": PARK, "cadence": {"interval_s": -1}}, "cadence"),
        ({"provider": "camps", "query": PARK, "extra": 1}, "extra"),
        ({"provider": "resy", "query": {"date": "soon", "time_slot": "20:30"}}, "date"),
        ([], ""),
    ],
)
async def test_a_wrong_watch_is_refused_by_the_name_of_its_field(stage: Stage, body: Any, field: str):
    answer = await stage.client.post("/api/watches", body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["code"] == "invalid_request"
    assert field in answer.text


async def test_another_query_with_the_same_key_is_refused(stage: Stage):
    """The values are joined by a sign that may stand in them."""
    assert (await add(stage, query={"park": "a_b", "month": "c"}))["key"] == "camps:a_b_c"
    other = await stage.client.post("/api/watches", {"provider": "camps", "query": {"park": "a", "month": "b_c"}})
    assert (other.status_code, other.json()["code"]) == (409, "key_taken")
    assert "park=a_b month=c" in other.json()["detail"]


async def test_poll_now_answers_when_it_is_done(stage: Stage):
    await add(stage)
    first = (await stage.client.post(f"/api/watches/{KEY}/poll")).json()
    assert set(first) == {"snapshot_id", "outcome", "opened", "closed", "open_count", "reason"}
    assert first["outcome"] == "bootstrapped"
    stage.world.opens("yosemite", "B2")
    second = (await stage.client.post(f"/api/watches/{KEY}/poll")).json()
    assert (second["outcome"], second["opened"], second["open_count"]) == ("changed", 1, 2)
    (event,) = (await stage.client.get("/api/openings")).json()["items"]
    shown = (await stage.client.get(f"/api/openings/{event['open_event_id']}")).json()
    assert shown["snapshot"]["snapshot_id"] == second["snapshot_id"] == event["snapshot_id"]
    assert shown["snapshot"]["outcome"] == "changed"


async def test_a_baseline_says_nothing(stage: Stage):
    await add(stage)
    await stage.client.post(f"/api/watches/{KEY}/poll")
    stage.world.opens("yosemite", "B2")
    refreshed = (await stage.client.post(f"/api/watches/{KEY}/baseline")).json()
    assert (refreshed["outcome"], refreshed["open_count"]) == ("bootstrapped", 2)
    assert await stage.rig.events() == []
    # Also when the answer is the one from before.
    again = (await stage.client.post(f"/api/watches/{KEY}/baseline")).json()
    assert again["outcome"] == "bootstrapped"


async def test_a_paused_watch_is_left_alone(stage: Stage):
    await add(stage)
    paused = await stage.client.patch(f"/api/watches/{KEY}", {"paused": True})
    assert (paused.json()["status"], paused.json()["next_poll_at"]) == ("paused", None)
    assert await stage.rig.step(1000) == []
    resumed = await stage.client.patch(f"/api/watches/{KEY}", {"status": "active"})
    assert resumed.json()["status"] == "new"
    assert len(await stage.rig.poll()) == 1


async def test_a_change_is_merged_and_checked(stage: Stage):
    await add(stage, policy={"dedupe_s": 60, "misses_to_close": 2})
    changed = await stage.client.patch(f"/api/watches/{KEY}", {"policy": {"misses_to_close": None, "dedupe_s": 5}})
    assert changed.json()["policy"]["dedupe_s"] == 5
    assert changed.json()["policy"]["misses_to_close"] == 1
    bad = await stage.client.patch(f"/api/watches/{KEY}", {"policy": {"misses_to_close": 0}})
    assert bad.status_code == 422
    assert (await stage.client.patch("/api/watches/camps:none", {"paused": True})).status_code == 404


async def test_a_removed_watch_takes_its_slots_along(stage: Stage):
    await add(stage)
    await stage.rig.poll()
    assert len((await stage.client.get("/api/slots")).json()["items"]) == 1
    assert (await stage.client.delete(f"/api/watches/{KEY}")).status_code == 204
    assert (await stage.client.get("/api/slots")).json()["items"] == []
    assert (await stage.client.get(f"/api/watches/{KEY}")).status_code == 404
    assert (await stage.client.delete(f"/api/watches/{KEY}")).status_code == 404
    assert (await stage.client.post(f"/api/watches/{KEY}/poll")).status_code == 404
    # Watching it again starts anew, without events.
    await add(stage)
    assert (await stage.rig.poll_one()).outcome == "bootstrapped"
    assert await stage.rig.events() == []


async def test_a_heartbeat_makes_slots_fresh(stage: Stage, clock: FakeClock):
    await add(stage)
    await stage.rig.poll()
    assert (await stage.rig.step_one()).outcome == "unchanged"
    (slot,) = (await stage.client.get("/api/slots")).json()["items"]
    assert slot["last_seen_at"].startswith(f"{clock.now():%Y-%m-%dT%H:%M:%S}")


async def test_lists_come_in_pages(stage: Stage):
    for number in range(5):
        await stage.client.post("/api/watches", {"provider": "camps", "query": {"park": str(number), "month": "m"}})
    first = (await stage.client.get("/api/watches?limit=3")).json()
    rest = (await stage.client.get(f"/api/watches?limit=3&cursor={first['next_cursor']}")).json()
    assert [len(first["items"]), len(rest["items"])] == [3, 2]
    assert rest["next_cursor"] is None
    assert (await stage.client.get("/api/watches?limit=501")).status_code == 422
    assert (await stage.client.get("/api/watches?cursor=nonsense")).status_code == 422
    assert (await stage.client.get("/api/watches?provider=soc")).json()["items"] == []


async def test_the_looks_of_a_watch_are_kept(stage: Stage):
    await add(stage)
    await stage.rig.poll()
    await stage.rig.step()
    looks = (await stage.client.get(f"/api/watches/{KEY}/snapshots?limit=1")).json()
    assert looks["items"][0]["outcome"] == "unchanged"
    assert looks["items"][0]["source_hash"]
    older = await stage.client.get(f"/api/watches/{KEY}/snapshots?limit=1&cursor={looks['next_cursor']}")
    assert older.json()["items"][0]["outcome"] == "bootstrapped"


async def test_who_may_do_what(stage: Stage):
    await add(stage)
    async with calling(stage.rig.parts, "staff") as staff, calling(stage.rig.parts, None) as nobody:
        assert (await staff.get("/api/watches")).status_code == 200
        assert (await staff.post(f"/api/watches/{KEY}/poll")).status_code == 403
        assert (await staff.post("/api/watches", {"provider": "camps", "query": PARK})).status_code == 403
        assert (await nobody.get("/api/watches")).status_code == 401
