"""Search, suggestions and sightings over a real database."""

from __future__ import annotations

from datetime import timedelta

import pytest

from demand_harness import AUSTIN, DALLAS, NOWHERE, World, around, query
from dibs.clock import FakeClock
from dibs.demand.model import Decision, Outcome, Query, Reason, Status, Term
from dibs.errors import Conflict, Invalid, NotFound
from dibs.parts import Parts
from dibs.places.geo import Bounds, Point
from dibs.places.model import EntityType


@pytest.fixture
async def world(parts: Parts) -> World:
    world = World(parts)
    await world.cities()
    return world


async def test_a_search_with_nothing_is_recorded_queued_and_told(world: World, parts: Parts) -> None:
    found = await parts.search(query(terms=[("Franklin Barbecue", "restaurant")]))
    assert found.restaurants == []
    assert (found.primary_count, found.location_key) == (0, "austinfood")
    assert found.on_demand.queued
    assert found.on_demand.eta_ms == 7_200_000
    assert found.on_demand.message == ("We're expanding results for Franklin Barbecue. Check back in about 2 hours.")
    target = found.on_demand.targets[0]
    assert (target.term, target.entity_type, target.reason, target.decision) == (
        "Franklin Barbecue",
        EntityType.RESTAURANT,
        Reason.UNRESOLVED,
        Decision.QUEUED,
    )
    request = await parts.collection_requests.get(target.request_id)
    assert (request.status, request.run_location_key, request.location_key) == ("queued", "austinfood", "austinfood")


async def test_the_same_again_is_already_running_and_silent(world: World, parts: Parts) -> None:
    first = await parts.search(query(terms=[("Uchi", "restaurant")]))
    again = await parts.search(query(terms=[("  UCHI ", "restaurant")]))
    assert again.on_demand.targets[0].request_id == first.on_demand.targets[0].request_id
    assert again.on_demand.targets[0].decision is Decision.ALREADY_RUNNING
    assert (again.on_demand.queued, again.on_demand.message, again.on_demand.eta_ms) == (False, None, None)
    request = await parts.collection_requests.get(first.on_demand.targets[0].request_id)
    assert request.occurrence_count == 2
    assert request.term == "Uchi"


@pytest.mark.parametrize(
    ("bounds", "user", "decision"),
    [
        (around(AUSTIN, 0.01), None, Decision.RECORDED_SMALL_VIEWPORT),
        (around(NOWHERE), None, Decision.RECORDED_NO_LOCATION),
        (None, None, Decision.RECORDED_NO_LOCATION),
        (None, NOWHERE, Decision.RECORDED_NO_LOCATION),
        (None, AUSTIN, Decision.QUEUED),
        (around(NOWHERE), AUSTIN, Decision.QUEUED),
        (Bounds(AUSTIN, AUSTIN), None, Decision.RECORDED_SMALL_VIEWPORT),
    ],
)
async def test_where_a_search_is_decides(
    world: World, parts: Parts, bounds: Bounds | None, user: Point | None, decision: Decision
) -> None:
    asked = Query("", (Term("Uchi", EntityType.RESTAURANT),), bounds, user)
    found = await parts.search(asked)
    target = found.on_demand.targets[0]
    assert target.decision is decision
    request = await parts.collection_requests.get(target.request_id)
    assert request.occurrence_count == 1
    if decision is not Decision.QUEUED:
        assert (request.status, request.due_at, request.refused) == ("pending", None, str(decision))


async def test_bounds_decide_before_the_users_location(world: World, parts: Parts) -> None:
    found = await parts.search(Query("uchi", (), around(DALLAS), AUSTIN))
    assert found.location_key == "dallasfood"
    request = await parts.collection_requests.get(found.on_demand.targets[0].request_id)
    assert request.run_location_key == "dallasfood"


async def test_an_inactive_community_is_no_place(world: World, parts: Parts) -> None:
    await parts.communities.put("austinfood", AUSTIN, active=False)
    found = await parts.search(query("uchi"))
    assert (found.location_key, found.on_demand.targets[0].decision) == (None, Decision.RECORDED_NO_LOCATION)


async def test_the_same_name_in_two_cities_is_two_restaurants_and_two_requests(world: World, parts: Parts) -> None:
    austin = await world.restaurant("Uchi", "austinfood", AUSTIN)
    here = await parts.search(query(terms=[("uchi", "restaurant")], at=AUSTIN))
    there = await parts.search(query(terms=[("uchi", "restaurant")], at=DALLAS))
    assert [one.entity_id for one in here.restaurants] == [austin]
    assert there.restaurants == []
    assert here.on_demand.targets[0].reason is Reason.LOW_RESULT
    assert there.on_demand.targets[0].reason is Reason.UNRESOLVED
    assert here.on_demand.targets[0].request_id != there.on_demand.targets[0].request_id
    dallas = await world.restaurant("UCHI", "dallasfood", DALLAS)
    assert dallas != austin
    found = await parts.search(query(terms=[("uchi", "restaurant")], at=DALLAS))
    assert [one.entity_id for one in found.restaurants] == [dallas]


async def test_without_a_place_a_name_is_found_everywhere(world: World, parts: Parts) -> None:
    ids = {await world.restaurant("Uchi", "austinfood"), await world.restaurant("Uchi", "dallasfood", DALLAS)}
    found = await parts.search(query("uchi", at=None))
    assert {one.entity_id for one in found.restaurants} == ids


async def test_a_food_finds_restaurants_inside_the_bounds_ranked(world: World, parts: Parts, clock: FakeClock) -> None:
    tacos = await world.entity("food", "Tacos")
    often = await world.restaurant("Often", at=AUSTIN)
    seldom = await world.restaurant("Seldom", at=AUSTIN)
    old = await world.restaurant("Old", at=AUSTIN)
    away = await world.restaurant("Away", at=Point(AUSTIN.lat + 0.19, AUSTIN.lng))
    outside = await world.restaurant("Outside", at=Point(AUSTIN.lat + 0.3, AUSTIN.lng))
    unplaced = await world.restaurant("Unplaced", at=None)
    await world.mentions(often, tacos, 5)
    await world.mentions(seldom, tacos, 2)
    await world.mentions(old, tacos, 2, at=clock.now() - timedelta(days=900))
    await world.mentions(away, tacos, 2)
    await world.mentions(outside, tacos, 9)
    await world.mentions(unplaced, tacos, 1)
    found = await parts.search(query("best tacos near me"))
    assert [one.name for one in found.restaurants][:2] == ["Often", "Seldom"]
    assert {one.name for one in found.restaurants} == {"Often", "Seldom", "Old", "Away", "Unplaced"}
    assert found.primary_count == 5
    assert [(food.name, food.matched_mentions) for food in found.foods] == [("Tacos", 12)]
    assert found.foods[0].restaurant_ids[0] == often
    assert found.on_demand.targets[0].reason is Reason.LOW_RESULT
    limited = await parts.search(Query("tacos", (), around(AUSTIN), None, 2))
    assert (len(limited.restaurants), limited.primary_count) == (2, 5)


async def test_attributes_must_all_fit_and_foods_any(world: World, parts: Parts) -> None:
    tacos, ramen = await world.entity("food", "tacos"), await world.entity("food", "ramen")
    patio, vegan = await world.entity("restaurant_attribute", "patio"), await world.entity("food_attribute", "vegan")
    both = await world.restaurant("Both")
    one = await world.restaurant("One")
    for subject in (tacos, patio, vegan):
        await world.mentions(both, subject)
    for subject in (ramen, patio):
        await world.mentions(one, subject)
    found = await parts.search(query("vegan tacos patio"))
    assert [restaurant.name for restaurant in found.restaurants] == ["Both"]
    found = await parts.search(query("tacos or ramen with a patio"))
    assert {restaurant.name for restaurant in found.restaurants} == {"Both", "One"}


async def test_bounds_across_the_antimeridian(world: World, parts: Parts) -> None:
    await world.community("fijifood", Point(-17.0, 179.9))
    kokoda = await world.entity("food", "kokoda")
    east = await world.restaurant("East", "fijifood", Point(-17.0, 179.8))
    west = await world.restaurant("West", "fijifood", Point(-17.0, -179.8))
    far = await world.restaurant("Far", "fijifood", Point(-17.0, 178.0))
    for restaurant in (east, west, far):
        await world.mentions(restaurant, kokoda)
    bounds = Bounds(Point(-16.5, -179.5), Point(-17.5, 179.5))
    found = await parts.search(Query("kokoda", (), bounds))
    assert {one.entity_id for one in found.restaurants} == {east, west}
    assert found.location_key == "fijifood"
    assert found.viewport_miles == pytest.approx(66, abs=1)


async def test_enough_results_queue_nothing(world: World, parts: Parts) -> None:
    tacos = await world.entity("food", "tacos")
    for number in range(25):
        await world.mentions(await world.restaurant(f"Taqueria {number}"), tacos)
    found = await parts.search(query("tacos"))
    assert found.primary_count == 25
    assert found.on_demand.targets[0].decision is Decision.ENOUGH_RESULTS
    assert not found.on_demand.queued
    both = await parts.search(query(terms=[("tacos", "food"), ("Zzyzx", "restaurant")]))
    assert {target.decision for target in both.on_demand.targets} <= {Decision.ENOUGH_RESULTS, Decision.QUEUED}


async def test_names_with_slips_plurals_and_aliases(world: World, parts: Parts) -> None:
    franklin = await world.restaurant("Franklin Barbecue")
    await world.mentions(franklin, await world.entity("food", "breakfast tacos"))
    for typed in ("franklin barbecue", "Frankin Barbecue", "franklins barbecue"):
        found = await parts.search(query(typed))
        assert [one.entity_id for one in found.restaurants] == [franklin], typed
    found = await parts.search(query("breakfast taco"))
    assert [one.entity_id for one in found.restaurants] == [franklin]
    from dibs.places import entity_store  # noqa: PLC0415 -- only this test adds an alias

    async with parts.db.connection() as connection:
        await entity_store.put_aliases(connection, aliases=[(franklin, "Franklin BBQ")])
    found = await parts.search(query("franklin bbq"))
    assert found.restaurants[0].aliases == ["Franklin BBQ"]
    shown = await parts.search(query("franklin"))
    assert [one.entity_id for one in shown.restaurants] == [franklin]
    assert shown.on_demand.targets[0].reason is Reason.UNRESOLVED


async def test_numbers_are_never_a_slip(world: World, parts: Parts) -> None:
    await world.restaurant("Noodles 79")
    found = await parts.search(query(terms=[("Noodles 97", "restaurant")]))
    assert found.restaurants == []
    assert found.on_demand.targets[0].reason is Reason.UNRESOLVED


# --- the life of a request


async def test_a_success_rests_for_the_safe_interval_and_is_due_again(
    world: World, parts: Parts, clock: FakeClock
) -> None:
    found = await parts.search(query(terms=[("Uchi", "restaurant")]))
    request_id = found.on_demand.targets[0].request_id
    run = await world.run_next()
    assert run
    assert (run.request_id, run.safe_interval_days, run.center) == (request_id, 15.0, AUSTIN)
    request = await parts.collection_requests.get(request_id)
    assert (request.status, request.last_outcome) == ("completed", "success")
    assert request.cooldown_until == request.due_at == clock.now() + timedelta(days=15)
    inside = await parts.search(query(terms=[("Uchi", "restaurant")]))
    assert inside.on_demand.targets[0].decision is Decision.COOLDOWN
    assert inside.on_demand.message is None
    assert await parts.collection_queue.promote() == []
    clock.advance(15 * 86400)
    assert await parts.collection_queue.promote() == [request_id]
    assert (await parts.collection_requests.get(request_id)).status == "queued"


async def test_an_answered_unresolved_does_not_come_back_as_low_result(world: World, parts: Parts) -> None:
    await parts.search(query(terms=[("Uchi", "restaurant")]))
    await world.run_next()
    await world.restaurant("Uchi")
    found = await parts.search(query(terms=[("Uchi", "restaurant")]))
    assert found.on_demand.targets[0].reason is Reason.LOW_RESULT
    assert found.on_demand.targets[0].decision is Decision.COOLDOWN


async def test_a_food_is_asked_for_globally_and_run_where_it_was_sighted(
    world: World, parts: Parts, clock: FakeClock
) -> None:
    here = await parts.search(query(terms=[("birria", "food")], at=AUSTIN))
    there = await parts.search(query(terms=[("birria", "food")], at=DALLAS))
    assert here.on_demand.targets[0].request_id == there.on_demand.targets[0].request_id
    assert there.on_demand.targets[0].decision is Decision.ALREADY_RUNNING
    run = await world.run_next(Outcome.NO_RESULTS)
    assert run
    assert run.location_key == "austinfood"
    request = await parts.collection_requests.get(run.request_id)
    assert (request.location_key, request.run_location_key) == (None, "austinfood")
    assert request.cooldown_until == clock.now() + timedelta(days=60)
    again = await parts.search(query(terms=[("birria", "food")], at=DALLAS))
    assert again.on_demand.targets[0].decision is Decision.QUEUED
    run = await world.run_next()
    assert run
    assert run.location_key == "dallasfood"
    back = await parts.search(query(terms=[("birria", "food")], at=AUSTIN))
    assert back.on_demand.targets[0].decision is Decision.COOLDOWN


async def test_errors_back_off_and_never_rest_for_days(world: World, parts: Parts, clock: FakeClock) -> None:
    found = await parts.search(query(terms=[("Uchi", "restaurant")]))
    request_id = found.on_demand.targets[0].request_id
    for minutes in (5, 10, 20, 40, 80, 160, 320, 360, 360):
        await world.run_next(Outcome.ERROR, "Reddit answered 429")
        request = await parts.collection_requests.get(request_id)
        assert (request.status, request.last_outcome, request.error) == ("pending", "error", "Reddit answered 429")
        assert request.due_at == request.cooldown_until == clock.now() + timedelta(minutes=minutes)
        clock.advance(minutes * 60)
        assert await parts.collection_queue.promote() == [request_id]
    await world.run_next(Outcome.SUCCESS)
    request = await parts.collection_requests.get(request_id)
    assert (request.status, request.error) == ("completed", None)


async def test_backpressure_defers_and_comes_back_by_itself(world: World, parts: Parts, clock: FakeClock) -> None:
    for name in ("One", "Two", "Three"):
        assert (await parts.search(query(terms=[(name, "restaurant")]))).on_demand.queued
    fourth = await parts.search(query(terms=[("Four", "restaurant")]))
    target = fourth.on_demand.targets[0]
    assert (target.decision, fourth.on_demand.queued) == (Decision.DEFERRED, False)
    request = await parts.collection_requests.get(target.request_id)
    assert (request.status, request.last_outcome) == ("pending", "deferred")
    assert request.due_at == request.cooldown_until == clock.now() + timedelta(minutes=5)
    soon = await parts.search(query(terms=[("Four", "restaurant")]))
    assert soon.on_demand.targets[0].decision is Decision.COOLDOWN
    clock.advance(300)
    assert await parts.collection_queue.promote() == []
    await world.run_next()
    assert await parts.collection_queue.promote() == [target.request_id]


async def test_one_search_queues_at_most_five(world: World, parts: Parts) -> None:
    names = [(f"Place {letter}", "restaurant") for letter in "ABCDEFG"]
    found = await parts.search(query(terms=names))
    decisions = [target.decision for target in found.on_demand.targets]
    assert decisions == [Decision.QUEUED] * 5 + [Decision.DEFERRED] * 2


async def test_the_eta_comes_from_measured_runs_and_the_backlog(world: World, parts: Parts, clock: FakeClock) -> None:
    await parts.search(query(terms=[("One", "restaurant")]))
    runs = await parts.collection_queue.claim()
    clock.advance(600)
    from dibs.demand.model import RunResult  # noqa: PLC0415 -- only this test settles by hand

    await parts.collection_queue.settle(runs[0], RunResult(Outcome.SUCCESS))
    found = await parts.search(query(terms=[("Two", "restaurant")]))
    assert found.on_demand.eta_ms == 600_000
    found = await parts.search(query(terms=[("Three", "restaurant")]))
    assert found.on_demand.eta_ms == 1_200_000
    assert found.on_demand.message == "We're expanding results for Three. Check back in 20 min."


async def test_a_dead_worker_strands_nothing_and_writes_nothing(world: World, parts: Parts, clock: FakeClock) -> None:
    from dibs.demand.model import Progress, RunResult, Stage  # noqa: PLC0415 -- only this test reports by hand

    await parts.search(query(terms=[("Uchi", "restaurant")]))
    queue = parts.collection_queue
    (dead,) = await queue.claim(lease_s=30)
    assert await queue.claim() == []
    assert await queue.report(dead, Progress(Stage.LOADING, posts_found=9, batches_total=3), lease_s=30)
    shown = await parts.collection_requests.get(dead.request_id)
    assert (shown.status, shown.stage, shown.posts_found, shown.batches_total) == ("processing", "loading", 9, 3)
    clock.advance(31)
    (alive,) = await queue.claim()
    assert alive.request_id == dead.request_id
    assert not await queue.report(dead, Progress(Stage.LOADING))
    assert not await queue.settle(dead, RunResult(Outcome.NO_RESULTS))
    assert (await parts.collection_requests.get(dead.request_id)).status == "processing"
    assert await queue.settle(alive, RunResult(Outcome.SUCCESS))


async def test_run_now_skips_the_cooldown_and_nothing_else(world: World, parts: Parts, clock: FakeClock) -> None:
    found = await parts.search(query(terms=[("Uchi", "restaurant")]))
    request_id = found.on_demand.targets[0].request_id
    assert (await parts.collection_requests.run(request_id)).status == "queued"
    await world.run_next(Outcome.NO_RESULTS)
    assert (await parts.collection_requests.run(request_id)).status == "queued"
    await world.run_next()
    with pytest.raises(NotFound):
        await parts.collection_requests.run(999_999)
    lost = await parts.search(query(terms=[("Uchi", "restaurant")], at=None))
    with pytest.raises(Conflict) as refused:
        await parts.collection_requests.run(lost.on_demand.targets[0].request_id)
    assert refused.value.code == "no_location"


async def test_an_inactive_community_is_not_collected_in(world: World, parts: Parts, clock: FakeClock) -> None:
    found = await parts.search(query(terms=[("Uchi", "restaurant")]))
    await world.run_next()
    await parts.communities.put("austinfood", AUSTIN, active=False)
    clock.advance(100 * 86400)
    assert await parts.collection_queue.promote() == []
    with pytest.raises(Conflict):
        await parts.collection_requests.run(found.on_demand.targets[0].request_id)
    await parts.communities.put("austinfood", AUSTIN, active=True)
    assert len(await parts.collection_queue.promote()) == 1


# --- suggestions


async def test_suggestions_of_the_place_and_of_the_world(world: World, parts: Parts) -> None:
    uchi = await world.restaurant("Uchi")
    uchiko = await world.restaurant("Uchiko")
    await world.restaurant("Uchiba", "dallasfood", DALLAS)
    await world.mentions(uchiko, await world.entity("food", "uchimaki"), 3)
    found = await parts.autocomplete("uch", around(AUSTIN))
    assert [one.name for one in found.items] == ["Uchiko", "uchimaki", "Uchi"]
    assert found.location_key == "austinfood"
    exact = await parts.autocomplete("UCHI", around(AUSTIN))
    assert exact.items[0].entity_id == uchi
    everywhere = await parts.autocomplete("uch")
    assert {one.name for one in everywhere.items} == {"Uchi", "Uchiko", "Uchiba", "uchimaki"}
    loosely = await parts.autocomplete("chimaki")
    assert [one.name for one in loosely.items] == ["uchimaki"]
    for nothing in ("", "   ", "%", "_", "\\", "zzzzqq"):
        assert (await parts.autocomplete(nothing)).items == []


async def test_a_selection_behaves_as_a_search(world: World, parts: Parts) -> None:
    uchi = await world.restaurant("Uchi")
    found = await parts.search.select(uchi, Query("", (), around(AUSTIN)))
    assert [one.entity_id for one in found.restaurants] == [uchi]
    assert found.on_demand.targets[0].decision is Decision.QUEUED
    nowhere = await parts.search.select(uchi, Query(""))
    assert nowhere.on_demand.targets[0].decision is Decision.RECORDED_NO_LOCATION
    with pytest.raises(NotFound):
        await parts.search.select(424242, Query(""))


REFUSED = [
    Query(""),
    Query("   "),
    Query("\ud800"),
    Query("x" * 501),
    Query("", (Term(" ", EntityType.FOOD),)),
    Query("", (Term("x" * 201, EntityType.FOOD),)),
    Query("", (Term("x", EntityType.FOOD),) * 17),
    Query("x", (), Bounds(Point(0, 0), Point(1, 1))),
    Query("x", (), None, Point(91, 0)),
    Query("x", (), None, Point(float("nan"), 0)),
]


async def test_what_cannot_be_searched_is_refused(parts: Parts) -> None:
    for asked in REFUSED:
        with pytest.raises(Invalid):
            await parts.search(asked)


async def test_any_text_can_be_searched(world: World, parts: Parts) -> None:
    for text in (
        "'; DROP TABLE entity; --",
        "%%%",
        "🍜",
        "الكبسة",
        "a\tb",
        "\\",
        "!!!",
        "ＳＵＳＨＩ",
        "a\x00b",
    ):
        found = await parts.search(query(text))
        assert found.restaurants == []
        assert len(found.on_demand.targets) <= 1


def test_status_words() -> None:
    assert {str(status) for status in Status} == {"pending", "queued", "processing", "completed"}
