"""From a search that finds nothing to the same search that finds it, on the simulated outside world."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from collect_harness import Outside, collect_all, lead_outside, only_request, outside_world
from demand_harness import AUSTIN, DALLAS, World, query
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.demand.model import Decision, Outcome, Status
from dibs.parts import Parts
from dibs.places.geo import Point, distance_km
from dibs.places.model import EntityType
from dibs.sim.trouble import Trouble

NORTH_AUSTIN = Point(AUSTIN.lat + 0.05, AUSTIN.lng)
LORO = [("loro", "restaurant")]


@pytest.fixture
async def outside(clock: FakeClock) -> AsyncIterator[Outside]:
    async with outside_world(clock) as outside:
        outside.reddit.found("austinfood")
        outside.reddit.found("dallasfood")
        yield outside


@pytest.fixture
def config(outside: Outside) -> Config:
    return outside.config


@pytest.fixture
async def world(parts: Parts, outside: Outside, clock: FakeClock) -> World:
    lead_outside(parts, outside, clock)
    made = World(parts)
    await made.cities()
    return made


async def test_a_missing_restaurant_is_collected_placed_and_found(parts: Parts, world: World, outside: Outside) -> None:
    outside.reddit.post("austinfood", "Is Loro worth it?", comments=["Loro is great, get the brisket"])
    outside.places.put("Loro", DALLAS, address="Dallas, TX, USA", place_id="loro-dallas")
    outside.places.put("Loro", NORTH_AUSTIN, address="2115 S Lamar Blvd, Austin, TX, USA", place_id="loro-austin")

    wanted = query(terms=LORO)
    first = await parts.search(wanted)
    assert first.restaurants == []
    assert first.on_demand.queued
    assert first.on_demand.message == "We're expanding results for loro. Check back in about 2 hours."

    await collect_all(parts)

    second = await parts.search(wanted)
    [found] = second.restaurants
    assert (found.name, found.google_place_id, found.location_key) == ("Loro", "loro-austin", "austinfood")
    assert found.location
    assert distance_km(found.location, NORTH_AUSTIN) < 0.01
    assert found.mention_count == 2


async def test_a_second_search_inside_the_cooldown_queues_nothing_and_says_nothing(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.reddit.post("austinfood", "Loro?")
    await parts.search(query(terms=LORO))
    await collect_all(parts)
    asked = len(outside.reddit.asked)
    clock.advance(3600)
    again = await parts.search(query(terms=LORO))
    assert [target.decision for target in again.on_demand.targets] == [Decision.COOLDOWN]
    assert (again.on_demand.queued, again.on_demand.message, again.on_demand.eta_ms) == (False, None, None)
    await collect_all(parts)
    assert len(outside.reddit.asked) == asked


async def test_the_same_name_in_another_city_is_another_restaurant(
    parts: Parts, world: World, outside: Outside
) -> None:
    for community, at, city in (("austinfood", NORTH_AUSTIN, "Austin"), ("dallasfood", DALLAS, "Dallas")):
        outside.reddit.post(community, "Loro opened", "Dinner at Loro was fine")
        outside.places.put("Loro", at, address=f"1 Main St, {city}, TX, USA", place_id=f"loro-{city}")
    for point in (AUSTIN, DALLAS):
        await parts.search(query(terms=LORO, at=point))
        await collect_all(parts)
    austin, dallas = [(await parts.search(query(terms=LORO, at=point))).restaurants for point in (AUSTIN, DALLAS)]
    assert [(one.google_place_id, one.location_key) for one in austin] == [("loro-Austin", "austinfood")]
    assert [(one.google_place_id, one.location_key) for one in dallas] == [("loro-Dallas", "dallasfood")]
    assert austin[0].entity_id != dallas[0].entity_id


async def test_a_missing_food_brings_the_restaurants_that_people_name(
    parts: Parts, world: World, outside: Outside
) -> None:
    outside.reddit.post(
        "austinfood",
        "Best birria in town?",
        comments=[
            "La Santa Barbacha",
            ("You have to try Granny's Tacos!", ["Second Granny's Tacos"]),
            "at Grandmas House",
        ],
    )
    for name in ("La Santa Barbacha", "Granny's Tacos"):
        outside.places.put(name, NORTH_AUSTIN, address="Austin, TX, USA")
    wanted = query(terms=[("birria", "food")])
    assert (await parts.search(wanted)).on_demand.queued

    await collect_all(parts)

    found = await parts.search(wanted)
    # A guess that Places does not know is not shown.
    assert [one.name for one in found.restaurants] == ["Granny's Tacos", "La Santa Barbacha"]
    assert [food.name for food in found.foods] == ["birria"]
    hidden = await parts.entities.list(limit=50, entity_type=EntityType.RESTAURANT)
    assert sorted(one.name for one in hidden) == ["Granny's Tacos", "La Santa Barbacha"]


async def test_nothing_found_rests_for_sixty_days(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    await parts.search(query(terms=LORO))
    await collect_all(parts)
    request = await only_request(parts)
    assert (request.status, request.last_outcome) == (Status.COMPLETED, Outcome.NO_RESULTS)
    assert request.cooldown_until
    assert request.cooldown_until - clock.now() >= timedelta(days=59)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_reddit_that_is_down_is_an_error_with_a_short_backoff(
    parts: Parts, world: World, outside: Outside, clock: FakeClock, status: int
) -> None:
    outside.reddit.post("austinfood", "Loro is good")
    outside.reddit.troubles.always(trouble_of(status))
    await parts.search(query(terms=LORO))
    rests: list[timedelta] = []
    for _ in range(12):
        await collect_all(parts)
        request = await only_request(parts)
        assert (request.status, request.last_outcome) == (Status.PENDING, Outcome.ERROR)
        assert str(status) in (request.error or "")
        assert request.sort_history == {}
        assert request.due_at
        rests.append(request.due_at - clock.now())
        clock.set(request.due_at)
    assert rests[0] <= timedelta(minutes=5)
    assert max(rests) <= timedelta(hours=6)
    assert rests == sorted(rests)

    outside.reddit.troubles.over()
    clock.advance(7 * 3600)
    await collect_all(parts)
    request = await only_request(parts)
    assert (request.status, request.last_outcome, request.error) == (Status.COMPLETED, Outcome.SUCCESS, None)


def trouble_of(status: int) -> Trouble:
    return Trouble(status, b'{"message":"down"}', headers={"Retry-After": "3"} if status == 429 else {})
