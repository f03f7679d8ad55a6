"""What is changed under the feet of a product's line: capacity, range, the product itself, a worker that dies."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from dibs.clock import FakeClock
from dibs.db import Connection
from dibs.errors import Gone
from dibs.offers import write
from dibs.offers.model import Offer
from dibs.parts import Parts
from dibs.signals.model import Floor
from dibs.signals.resize import set_capacity
from line_harness import PASSES, SATURDAY, SUNDAY, open_pool, pool_plan
from notify_harness import rig
from signals_harness import differing, put, run_sql, tick_now

LAST = date(2026, 3, 19)


class Killed(BaseException):
    """The process is gone: nothing that handles errors sees it."""


async def test_a_worker_that_dies_between_allocation_and_offer_leaks_nothing(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = await open_pool(parts)
    joined = await pool.join("ann", 2)

    async def die(_connection: Connection, _offer: Offer) -> None:
        assert await pool.references() == set(), "nobody sees what is not committed"
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(write, "tell", die)
        with pytest.raises(Killed):
            await parts.usher.run_once()
    assert await pool.allocated() == 0
    assert (await parts.line.get(joined.place_id)).status == "waiting"
    await run_sql(parts.db, "UPDATE line_check SET lease_until = '-infinity'")
    await pool.turn()
    assert pool.told() == ["ann"]
    assert await pool.allocated() == 2


async def test_a_worker_that_dies_while_an_offer_lapses_releases_it_once(
    parts: Parts, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = await open_pool(parts)
    await pool.join("ann", 2)
    await pool.turn()
    clock.advance(601)

    async def die(*_arguments: Any, **_more: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("dibs.offers.pool_room.signals.release", die)
        with pytest.raises(Killed):
            await parts.claim.lapse_once()
    assert await pool.allocated() == 2
    assert len(await run_sql(parts.db, "SELECT 1 FROM offer WHERE status = 'live'")) == 1
    clock.advance(61)
    for _ in range(2):
        await parts.claim.lapse_once()
    assert await pool.allocated() == 0
    assert len(await run_sql(parts.db, "SELECT 1 FROM offer WHERE status = 'lapsed'")) == 1


async def test_a_capacity_that_is_lowered_leaves_what_was_promised(parts: Parts, clock: FakeClock) -> None:
    pool = await open_pool(parts)
    await pool.join("ann", 2)
    await pool.join("ben")
    await pool.turn()
    await set_capacity(parts.db, pool.key, SATURDAY, 1)
    await pool.turn()
    assert pool.told() == ["ann"]
    assert (await parts.claim.claim(pool.token_of("ann"))).status == "claimed"
    assert await pool.allocated() == 2


async def test_what_lapses_after_the_capacity_was_lowered_is_not_offered_beyond_it(
    parts: Parts, clock: FakeClock
) -> None:
    pool = await open_pool(parts)
    await pool.join("ann", 2)
    await pool.join("ben")
    await pool.join("cem")
    await pool.turn()
    await set_capacity(parts.db, pool.key, SATURDAY, 1)
    clock.advance(601)
    await pool.turn()
    assert pool.told() == ["ann", "ben"]
    assert await pool.allocated() == 1
    await set_capacity(parts.db, pool.key, SATURDAY, None)
    await pool.turn()
    assert pool.told() == ["ann", "ben", "cem"]


async def test_dates_that_leave_the_range_are_not_offered_until_they_are_back(parts: Parts) -> None:
    pool = await open_pool(parts, 1)
    await pool.take("somebody")
    joined = await pool.join("ann")
    await put(parts, pool_plan(1, range_end=date(2026, 3, 12)), PASSES)
    await pool.free("somebody")
    await pool.turn()
    assert pool.told() == []
    assert (await parts.line.get(joined.place_id)).status == "waiting"
    await put(parts, pool_plan(1), PASSES)
    await pool.turn()
    assert pool.told() == ["ann"]


async def test_a_product_that_grows_serves_those_who_wait_for_its_new_dates(parts: Parts) -> None:
    pool = await open_pool(parts, 1)
    await pool.take("somebody", 1, LAST)
    await pool.join("ann", 1, LAST, date(2026, 3, 25))
    await pool.turn()
    assert pool.told() == []
    await put(parts, pool_plan(1, range_end=date(2026, 3, 21)), PASSES)
    await pool.turn()
    (place,) = await parts.line.list_places()
    assert place.offer_date == date(2026, 3, 20)


async def test_a_larger_capacity_of_the_whole_product_reaches_the_line(parts: Parts) -> None:
    pool = await open_pool(parts, 1)
    await pool.take("somebody")
    await pool.join("ann")
    await pool.turn()
    await put(parts, pool_plan(2), PASSES)
    await pool.turn()
    assert pool.told() == ["ann"]


async def test_when_the_product_is_removed_everybody_leaves_with_the_reason(parts: Parts) -> None:
    pool = await open_pool(parts, 1)
    await run_sql(parts.db, "UPDATE product_date SET capacity = 1, allocated = 1")
    joined = await pool.join("ann")
    await pool.turn()
    await run_sql(parts.db, "DELETE FROM product")
    await pool.turn()
    place = await parts.line.get(joined.place_id)
    assert (place.status, place.reason, place.name) == ("left", "product_removed", str(pool.key))
    await pool.turn()
    assert await parts.line.list_places() == []


async def test_when_the_product_goes_to_a_floor_its_line_ends_and_offers_stay(parts: Parts) -> None:
    pool = await open_pool(parts, 1)
    await pool.join("ann")
    waits = await pool.join("ben")
    await pool.turn()
    await put(parts, pool_plan(0, floor=Floor(restaurant="blue-door")), PASSES)
    await pool.turn()
    place = await parts.line.get(waits.place_id)
    assert (place.status, place.reason) == ("left", "stands_on_floor")
    assert (await parts.claim.claim(pool.token_of("ann"))).status == "claimed"


async def test_staff_who_give_an_offer_back_take_it_from_the_person(parts: Parts) -> None:
    pool = await open_pool(parts, 1)
    joined = await pool.join("ann", 1, SATURDAY, SUNDAY)
    await pool.join("ben")
    await pool.turn()
    token = pool.token_of("ann")
    (reference,) = await pool.references()
    await pool.free(reference)
    await pool.turn()
    assert pool.told() == ["ann", "ben"]
    with pytest.raises(Gone):
        await parts.claim.claim(token)
    assert (await parts.claim.claim(pool.token_of("ben"))).status == "claimed"
    assert await pool.allocated() == 1
    await pool.turn()
    place = await parts.line.get(joined.place_id)
    assert (place.status, place.offer_date) == ("offered", SUNDAY)


async def test_the_cache_and_everybody_else_learn_that_it_is_taken(parts: Parts, clock: FakeClock) -> None:
    """An offer marks the date like any allocation; who subscribed to the date is told what the next tick sees."""
    made = rig(parts)
    pool = await open_pool(parts, 1)
    vars(parts)["notify"] = made.notify
    pool.rig = made
    await made.subscribe("https://people.example/watcher", topic=f"slot:{PASSES}:{SATURDAY}")
    await pool.take("somebody")
    await tick_now(parts)
    await pool.free("somebody")
    await tick_now(parts)
    await made.tell()
    assert pool.told() == ["watcher"]
    assert await open_to_all(parts) == [True]
    await pool.join("ann")
    await pool.turn()
    await tick_now(parts)
    assert await open_to_all(parts) == [False], "kept for ann: nobody else can have it"
    await parts.claim.claim(pool.token_of("ann"))
    await tick_now(parts)
    assert await differing(parts.db) == []
    assert await open_to_all(parts) == [False]


async def open_to_all(parts: Parts) -> list[bool]:
    """What the hub says of Saturday: what everybody who was told of it knows now."""
    key = f"{PASSES}:{SATURDAY}"
    return [row[0] for row in await run_sql(parts.db, "SELECT open FROM slot WHERE slot_key = %s", [key])]


async def test_a_place_that_was_left_half_made_is_not_in_the_way(
    parts: Parts, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = await open_pool(parts)

    async def die(*_arguments: Any, **_more: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(pool.rig.notify.subscribe, "subscribe", die)
        with pytest.raises(Killed):
            await pool.join("ann")
    await pool.turn()
    assert pool.told() == []
    clock.advance(61)
    assert not (await pool.join("ann")).existing
    await pool.turn()
    assert pool.told() == ["ann"]
    assert len(await parts.line.list_places()) == 1
