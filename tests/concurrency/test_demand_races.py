"""Many at once: one request, one run, no lost sighting; and what happens with the guard off."""

from __future__ import annotations

import asyncio

import pytest

from demand_harness import World, query
from dibs.clock import FakeClock
from dibs.demand.decide import Sighting
from dibs.demand.model import Decision, Outcome, Reason, RunResult, Wanted
from dibs.parts import Parts
from dibs.places import entity_store, mention_store
from dibs.places.model import EntityType, Mention, NewEntity

HERE = Sighting(0, 5.0, "austinfood")


@pytest.fixture
async def world(parts: Parts) -> World:
    world = World(parts)
    await world.cities()
    return world


async def test_concurrent_sightings_make_one_request_and_queue_it_once(world: World, parts: Parts) -> None:
    told = await asyncio.gather(*(parts.search(query(terms=[("Uchi", "restaurant")])) for _ in range(30)))
    decisions = [one.on_demand.targets[0].decision for one in told]
    assert decisions.count(Decision.QUEUED) == 1
    assert decisions.count(Decision.ALREADY_RUNNING) == 29
    assert sum(one.on_demand.message is not None for one in told) == 1
    (request,) = await parts.collection_requests.list(limit=10)
    assert request.occurrence_count == 30


async def test_two_reasons_for_one_thing_run_once(world: World, parts: Parts) -> None:
    wanted = [Wanted("uchi", EntityType.RESTAURANT, reason) for reason in Reason]
    told = await asyncio.gather(*(parts.sight([wanted[n % 2]], HERE) for n in range(20)))
    decisions = [one.targets[0].decision for one in told]
    assert decisions.count(Decision.QUEUED) == 1
    assert len(await parts.collection_requests.list(limit=10)) == 2


async def test_backpressure_holds_however_many_ask_at_once(world: World, parts: Parts) -> None:
    told = await asyncio.gather(
        *(parts.sight([Wanted(f"place {n}", EntityType.RESTAURANT, Reason.UNRESOLVED)], HERE) for n in range(20))
    )
    decisions = [one.targets[0].decision for one in told]
    assert decisions.count(Decision.QUEUED) == 3
    assert decisions.count(Decision.DEFERRED) == 17


async def test_many_terms_in_any_order_never_deadlock(world: World, parts: Parts) -> None:
    wanted = [Wanted(f"dish {n}", EntityType.FOOD, Reason.UNRESOLVED) for n in range(8)]
    orders = [wanted, wanted[::-1], wanted[4:] + wanted[:4]]
    await asyncio.gather(*(parts.sight(orders[n % 3], HERE) for n in range(30)))
    requests = await parts.collection_requests.list(limit=20)
    assert {request.occurrence_count for request in requests} == {30}


async def test_many_workers_claim_each_request_once(world: World, parts: Parts) -> None:
    wanted = [Wanted(f"place {n}", EntityType.RESTAURANT, Reason.UNRESOLVED) for n in range(5)]
    await parts.sight(wanted, HERE)
    claims = await asyncio.gather(*(parts.collection_queue.claim(limit=2) for _ in range(10)))
    ids = [run.request_id for runs in claims for run in runs]
    assert sorted(ids) == sorted(set(ids))
    assert len(ids) == 5


async def test_many_promoters_promote_each_once_and_no_more_than_fit(
    world: World, parts: Parts, clock: FakeClock
) -> None:
    for n in range(5):
        await parts.sight([Wanted(f"place {n}", EntityType.RESTAURANT, Reason.UNRESOLVED)], HERE)
        for run in await parts.collection_queue.claim():
            await parts.collection_queue.settle(run, RunResult(Outcome.SUCCESS))
    clock.advance(20 * 86400)
    promoted = await asyncio.gather(*(parts.collection_queue.promote() for _ in range(10)))
    ids = [request_id for some in promoted for request_id in some]
    assert len(ids) == len(set(ids)) == 3


async def test_without_the_guard_two_would_run_at_once(world: World, parts: Parts) -> None:
    """The positive control: with the row that grants the right to run out of the way, both reasons run."""
    for reason in Reason:
        async with parts.db.connection() as connection:
            await connection.execute("UPDATE collection_target SET active_request_id = NULL")
        await parts.sight([Wanted("uchi", EntityType.RESTAURANT, reason)], HERE)
    requests = await parts.collection_requests.list(limit=10)
    assert [str(request.status) for request in requests] == ["queued", "queued"]


async def test_concurrent_finders_make_one_restaurant(world: World, parts: Parts) -> None:
    async def find(n: int) -> int:
        name = "Franklin Barbecue" if n % 2 else "FRANKLIN  barbecue"
        async with parts.db.transaction() as connection:
            (made,) = await entity_store.ensure_entities(
                connection, entities=[NewEntity(EntityType.RESTAURANT, name, "austinfood")], now=parts.clock.now()
            )
        return made.entity_id

    assert len(set(await asyncio.gather(*(find(n) for n in range(20))))) == 1


async def test_batches_that_share_foods_count_right_and_never_deadlock(world: World, parts: Parts) -> None:
    restaurants = [await world.restaurant(f"place {n}") for n in range(4)]
    foods = [await world.entity("food", f"dish {n}") for n in range(4)]
    posts = [await world.post() for _ in range(12)]

    async def process(n: int) -> None:
        post = posts[n % len(posts)]
        order = 1 if n % 2 else -1
        mentions = [
            Mention(restaurant, food, post, post, 1, parts.clock.now())
            for restaurant in restaurants[::order]
            for food in foods[::order]
        ]
        async with parts.db.transaction() as connection:
            await mention_store.replace_mentions(connection, post_ids=[post], mentions=mentions)

    await asyncio.gather(*(process(n) for n in range(36)))
    for restaurant in restaurants:
        assert (await parts.entities.get(restaurant)).mention_count == 12
    for food in foods:
        assert (await parts.entities.get(food)).mention_count == 48
