"""A watch on a JSON API, from the request to the feed."""

from __future__ import annotations

from api_client import calling
from dibs.clock import FakeClock
from dibs.sim.json_world import JsonWorld
from watch_harness import PARK, json_provider, json_rig, rig


async def test_a_new_slot_reaches_the_feed(dsn: str, clock: FakeClock):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with (
        world.serving() as server,
        rig(dsn, clock, server, {"camps": json_provider(server)}) as made,
        calling(made.parts) as client,
    ):
        created = await client.post("/api/watches", {"provider": "camps", "query": PARK})
        assert created.status_code == 201, created.text
        assert created.json()["key"] == "camps:yosemite_2026-07"
        assert created.json()["status"] == "new"
        again = await client.post("/api/watches", {"provider": "camps", "query": PARK})
        assert again.status_code == 200

        first = await made.poll_one()
        assert (first.outcome, first.open_count) == ("bootstrapped", 1)
        assert await made.openings() == []

        world.opens("yosemite", "B2")
        second = await made.step_one()
        assert (second.outcome, second.opened, second.open_count) == ("changed", 1, 2)

        feed = (await client.get("/api/openings")).json()["items"]
        assert [item["slot_key"].split("|")[0] for item in feed] == ["B2"]
        event = feed[0]
        assert event["still_open"] is True
        assert event["status_before"] == "Closed"
        assert event["status_after"] == "Open"
        assert event["seat_delta"] == 1
        assert event["detected_by"] == "poll"
        assert event["payload"]["title"] == "Site B2"
        assert event["topics"][2] == "watch:camps:yosemite_2026-07"

        world.closes("yosemite", "B2")
        third = await made.step_one()
        assert (third.outcome, third.closed, third.open_count) == ("changed", 1, 1)
        assert (await client.get("/api/openings")).json()["items"] == []
        gone = (await client.get("/api/openings?still_open=false")).json()["items"]
        assert gone[0]["closed_at"] is not None
        everything = (await client.get("/api/events")).json()["items"]
        assert [item["status_after"] for item in everything] == ["Closed", "Open"]
        slots = (await client.get("/api/slots")).json()["items"]
        assert [slot["slot_key"].split("|")[0] for slot in slots] == ["A1"]


async def test_the_same_answer_costs_only_a_heartbeat(dsn: str, clock: FakeClock):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with json_rig(dsn, clock, world) as made:
        await made.poll()
        result = await made.step_one()
        assert result.outcome == "unchanged"
        assert result.snapshot_id is not None
        watch = await made.parts.watches.get("camps:yosemite_2026-07")
        assert (watch.status, watch.open_count) == ("healthy", 1)
        assert watch.last_polled_at == clock.now() == watch.last_good_at
