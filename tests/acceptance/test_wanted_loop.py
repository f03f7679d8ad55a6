"""From "nothing found" to a notice: people look for a place, the rule watches it, it opens, who asked is told once."""

from __future__ import annotations

from api_client import calling
from dibs.clock import FakeClock
from dibs.sim.resy_world import ResyWorld
from wanted_harness import Scene
from watch_harness import DAY, resy_rig

MANHATTAN = {"ne": {"lat": 40.85, "lng": -73.92}, "sw": {"lat": 40.70, "lng": -74.02}}
EVENING = f"{DAY} 20:00:00"
NAME = "The Copper Pot 3"


async def test_what_people_keep_looking_for_is_told_to_who_asked(dsn: str, clock: FakeClock) -> None:
    world = ResyWorld()
    # Another venue has a table all the time: an answer without any would not be believed.
    for venue in (3, 9):
        world.opens(venue, EVENING)
    async with resy_rig(dsn, clock, world) as made, calling(made.parts) as admin:
        parts, scene = made.parts, Scene(made.parts)
        await admin.put("/api/communities/foodnyc", {"center": {"lat": 40.73, "lng": -73.99}, "active": True})
        await made.poll()
        world.closes(3, EVENING)
        await made.step()
        # Search finds nothing, again and again; one person asks to be told.
        terms = [{"text": NAME.lower(), "entity_type": "restaurant"}]
        search = {"query": "", "terms": terms, "bounds": MANHATTAN}
        answers = [(await admin.post("/api/search", search)).json() for _ in range(4)]
        request = answers[0]["metadata"]["on_demand"]["targets"][0]["request_id"]
        ann = {"channel": "webhook", "address": "https://people.example/ann"}
        asked = await admin.post(f"/api/collection-requests/{request}/ask", ann)
        assert asked.json()["ask"]["status"] == "waiting"
        await parts.wanted.consider.run_once()
        assert (await admin.get("/api/wanted")).json()["items"][0]["status"] == "open"
        # The fifth time, the rule watches it.
        await admin.post("/api/search", search)
        await parts.wanted.consider.run_once()
        await scene.settle_all()
        (wanted,) = (await admin.get("/api/wanted")).json()["items"]
        assert (wanted["status"], wanted["watched_by"], wanted["name"]) == ("watched", "rule", NAME)
        assert (wanted["askers"], wanted["told"]) == (1, 1)
        # It opens, and who asked is told: once.
        await made.step()
        world.opens(3, EVENING)
        await made.step()
        (event,) = await made.events("Open")
        assert wanted["topic"] in event.topics
        while await parts.notify.fan_out.run_once() == 0:
            pass
        notices = (await admin.get(f"/api/notifications?open_event_id={event.open_event_id}")).json()["items"]
        told = (await scene.subscriptions(wanted["topic"]))[0]
        assert [notice["subscription_id"] for notice in notices] == [told.subscription_id]


async def test_when_the_last_evening_has_passed_the_next_ones_are_watched(dsn: str, clock: FakeClock) -> None:
    world = ResyWorld()
    world.opens(3, EVENING)
    async with resy_rig(dsn, clock, world) as made:
        parts, scene = made.parts, Scene(made.parts)
        await made.poll()
        request = await scene.looked_for(NAME, 5, place=None)
        await parts.wanted.consider.run_once()
        await parts.wanted.keep.run_once()
        assert (await scene.status(request), await scene.watch_keys()) == ("watched", [f"resy:{DAY}_20:30"])
        clock.advance(20 * 86_400)
        await parts.wanted.keep.run_once()
        assert len(await scene.watch_keys()) == 1 + 7 * 2
