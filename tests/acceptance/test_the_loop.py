"""The whole loop on the simulators, with the fake clock: from "nothing found" to "it is yours", over HTTP.

The same people, the same place, and only what the product itself tells them: a link comes from a notice, an id from
an answer. Nothing runs in the background; every loop is turned by hand.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest

from api_client import Client, calling
from collect_harness import Outside, collect_all, lead_outside, outside_world
from demand_harness import AUSTIN, around, wire
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import Collect, Http, Notify, Offers
from dibs.parts import Parts
from dibs.sim.resy_world import ResyWorld
from notify_harness import Receiver, receiving
from watch_harness import resy_provider

SLUG, PRODUCT = "loro", "/api/products/town/restaurant/loro/dinner"
DINNER_AT = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
DINNER = DINNER_AT.isoformat()
KEPT_S = 120
FLOOR = {
    "name": "Loro",
    "timezone": "UTC",
    "service_periods": [{"name": "dinner", "start": "17:00", "end": "22:00"}],
    "zones": [{"name": "hall", "tables": [{"number": "A1", "capacity": 2, "mobility": "movable"}]}],
    "adjacencies": [],
}
VENUE = 7
VENUE_NAME = "Ox & Fig 7"
SUPPER = "2026-03-04 20:30:00"


@pytest.fixture
async def outside(clock: FakeClock) -> AsyncIterator[Outside]:
    async with outside_world(clock) as outside:
        outside.reddit.found("austinfood")
        yield outside


@pytest.fixture
def collect(outside: Outside) -> Collect:
    return outside.config.collect


@pytest.fixture
def resy() -> ResyWorld:
    return ResyWorld()


@pytest.fixture
async def resy_url(resy: ResyWorld) -> AsyncIterator[Any]:
    async with resy.serving() as server:
        yield server


@pytest.fixture
def config(collect: Collect, resy_url: Any) -> Config:
    box = [30.1, -97.9, 30.5, -97.5]
    return Config(
        http=Http(allow_private_targets=True),
        collect=collect,
        notify=Notify(public_subscribe=True),
        offers=Offers(hold_ttl_s=KEPT_S),
        providers={"resy": resy_provider(resy_url, bounding_box=box, timezone="UTC", time_slots=["20:30"])},
    )


@dataclass
class Story:
    """A person without a token, the house's staff, and what arrived in people's inboxes."""

    parts: Parts
    clock: FakeClock
    person: Client
    staff: Client
    inbox: Receiver

    async def turn(self) -> None:
        """Everything that is due, stage after stage, until nothing is."""
        parts = self.parts
        await parts.claim.lapse_once()
        await parts.usher.run_once()
        await parts.wanted.tell.run_once()
        while await parts.poller.poll_due():
            pass
        for _ in range(20):
            self.clock.advance(0.1)
            await parts.notify.fan_out.run_once()
        await parts.notify.deliver.drain()

    def told(self) -> list[str]:
        return [hook.path.strip("/") for hook in self.inbox.hooks]

    def last_of(self, name: str) -> dict[str, Any]:
        """What the last notice to this person said."""
        return [json.loads(hook.body) for hook in self.inbox.hooks if hook.path == f"/{name}"][-1]

    async def search(self, what: str) -> dict[str, Any]:
        bounds = wire(around(AUSTIN))
        body = {"query": what, "terms": [{"text": what, "entity_type": "restaurant"}], "bounds": bounds}
        return good(await self.staff.post("/api/search", body))

    async def wait_in_line(self, name: str) -> dict[str, Any]:
        wish = {"party_size": 2, "channel": "webhook", "address": f"{self.inbox.url}/{name}"}
        answer = await self.person.post(f"/api/restaurants/{SLUG}/line", {**wish, "earliest": DINNER, "latest": DINNER})
        return good(answer)["place"]

    async def ask(self, request_id: int, name: str) -> dict[str, Any]:
        body = {"channel": "webhook", "address": f"{self.inbox.url}/{name}"}
        return good(await self.person.post(f"/api/collection-requests/{request_id}/ask", body))

    async def place(self, place_id: int) -> dict[str, Any]:
        return good(await self.staff.get(f"/api/line/{place_id}"))

    async def table_state(self) -> str:
        floor = good(await self.staff.get(f"/api/restaurants/{SLUG}/floor", params={"at": DINNER}))
        return floor["zones"][0]["tables"][0]["state"]

    async def trace(self, open_event_id: int) -> list[tuple[str, str]]:
        trace = good(await self.staff.get(f"/api/openings/{open_event_id}/trace"))
        return [(step["stage"], step["what"]) for step in trace["steps"]]


def good(answer: Any) -> Any:
    assert answer.status_code in {200, 201}, answer.text
    return answer.json()


@pytest.fixture
async def story(parts: Parts, outside: Outside, clock: FakeClock) -> AsyncIterator[Story]:
    lead_outside(parts, outside, clock)
    await parts.communities.put("austinfood", AUSTIN, posts_per_day=50)
    async with _told(parts, clock) as story:
        yield story


@asynccontextmanager
async def _told(parts: Parts, clock: FakeClock) -> AsyncIterator[Story]:
    async with calling(parts, None) as person, calling(parts) as staff, receiving() as inbox:
        yield Story(parts, clock, person, staff, inbox)


async def _open_the_house(story: Story) -> str:
    """Loro has one table, a product that counts it, and a guest on it; the booking."""
    await story.staff.put(f"/api/restaurants/{SLUG}/floor", FLOOR)
    cadence = {"id": "5min", "label": "Five minutes"}
    body = {
        "name": "Loro",
        "timezone": "UTC",
        "range_start": "2026-03-02",
        "range_end": "2026-03-04",
        "availability_estimation_pattern": {"estimation_mode": "exact", "cadence": cadence},
        "floor": {"restaurant": SLUG, "measure": "tables"},
    }
    good(await story.staff.put(PRODUCT, body))
    wanted = {"restaurant": SLUG, "party_size": 2, "start_at": DINNER}
    held = good(await story.staff.post("/api/staff/auto/quote", wanted))
    confirmed = good(await story.staff.post("/api/staff/auto/confirm", {"hold_id": held["hold_id"]}))
    good(await story.staff.post("/api/cadences/5min/tick"))
    return confirmed["booking_id"]


async def test_from_nothing_found_to_it_is_yours(story: Story, outside: Outside, parts: Parts) -> None:
    # Nobody here knows Loro: the search finds nothing, and is queued for collection.
    outside.reddit.post("austinfood", "Is Loro worth it?", comments=["Loro is great, get the brisket"])
    outside.places.put("Loro", AUSTIN, address="2115 S Lamar Blvd, Austin, TX, USA", place_id="loro-austin")
    empty = await story.search("loro")
    assert empty["restaurants"] == []
    assert empty["metadata"]["on_demand"]["queued"]
    [target] = empty["metadata"]["on_demand"]["targets"]
    request_id = target["request_id"]

    # Collected: the same search finds it.
    await collect_all(parts)
    assert [one["name"] for one in (await story.search("loro"))["restaurants"]] == ["Loro"]

    # Loro's own house is on dibs too. Cat asks to be told; one action, and what people look for is watched.
    booking_id = await _open_the_house(story)
    await story.ask(request_id, "cat")
    watched = good(await story.staff.post(f"/api/collection-requests/{request_id}/watch"))
    assert (watched["wanted"]["status"], watched["wanted"]["topic"]) == (
        "watched",
        "group:town::restaurant::loro::dinner",
    )

    # The evening is full: ann and ben wait in line, and nobody is told anything.
    ann, ben = await story.wait_in_line("ann"), await story.wait_in_line("ben")
    await story.turn()
    assert story.told() == []
    assert await story.table_state() == "booked"

    # It opens. The first in line is told, and it is kept for them alone: cat hears nothing.
    good(await story.staff.post(f"/api/bookings/{booking_id}/cancel"))
    await story.turn()
    good(await story.staff.post("/api/cadences/5min/tick"))
    await story.turn()
    assert story.told() == ["ann"]
    assert await story.table_state() == "held"
    assert (await story.place(ann["place_id"]))["status"] == "offered"
    first_opening = _opening(story.last_of("ann"))

    # Ann lets it lapse; the second in line is told.
    story.clock.advance(KEPT_S + 1)
    await story.turn()
    assert story.told() == ["ann", "ben"]
    link = urlsplit(_payload(story.last_of("ben"))["claim_url"])
    path = f"{link.path}?{link.query}"
    assert "Kept for you" in (await story.person.get(path)).text

    # Ben claims it, on two devices; ann's old link tells her that it is over.
    claimed = [await story.person.post(f"{path}&action=claim") for _ in range(2)]
    assert [answer.status_code for answer in claimed] == [200, 200]
    assert "It is yours" in claimed[0].text
    late = urlsplit(_payload(story.last_of("ann"))["claim_url"])
    assert (await story.person.get(f"{late.path}?{late.query}")).status_code == 410

    # The floor shows it booked, once, and the line is as it should be.
    assert await story.table_state() == "booked"
    assert (await story.place(ben["place_id"]))["status"] == "served"
    assert (await story.place(ann["place_id"]))["status"] == "waiting"
    booked = good(await story.staff.get("/api/bookings", params={"restaurant": SLUG, "status": "confirmed"}))
    assert len(booked["items"]) == 1

    # And the traces tell all of it.
    lapsed, won = await story.trace(first_opening), await story.trace(_opening(story.last_of("ben")))
    assert _stages(lapsed) == {"offers", "openings", "notify"}
    assert any("not claimed in time" in what for _, what in lapsed)
    assert any("it is theirs" in what for _, what in won)
    assert any(stage == "notify" and "sent" in what for stage, what in won)


async def test_what_people_look_for_opens_at_a_provider(story: Story, parts: Parts, resy: ResyWorld) -> None:
    """The same beginning for a place elsewhere: watched with one action, seen by a poll, told, traced."""
    # Others have tables all the time: an answer that were suddenly empty would not be believed.
    for venue_id in range(1, 10):
        resy.opens(venue_id, SUPPER)
    query = {"date": "2026-03-04", "time_slot": "20:30"}
    good(await story.staff.post("/api/watches", {"provider": "resy", "query": query}))
    await story.turn()
    resy.closes(VENUE, SUPPER)
    for _ in range(4):
        story.clock.advance(20)
        await story.turn()

    missing = await story.search(VENUE_NAME)
    [target] = missing["metadata"]["on_demand"]["targets"]
    await story.ask(target["request_id"], "cat")
    watched = good(await story.staff.post(f"/api/collection-requests/{target['request_id']}/watch"))
    assert (watched["wanted"]["name"], watched["wanted"]["topic"]) == (VENUE_NAME, f"group:resy:{VENUE}")
    await story.turn()
    assert story.told() == []

    resy.opens(VENUE, SUPPER)
    story.clock.advance(20)
    await story.turn()
    assert story.told() == ["cat"]
    steps = await story.trace(_opening(story.last_of("cat")))
    assert _stages(steps) == {"watch", "openings", "notify"}


def _payload(body: dict[str, Any]) -> dict[str, Any]:
    return body["data"]["payload"]


def _opening(body: dict[str, Any]) -> int:
    return body["data"]["open_event_id"]


def _stages(steps: list[tuple[str, str]]) -> set[str]:
    return {stage for stage, _ in steps}
