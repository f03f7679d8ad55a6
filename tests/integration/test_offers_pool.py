"""The line of a product: who is offered which date, and how an offer ends."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from dibs.clock import FakeClock
from dibs.errors import Conflict, Gone
from dibs.parts import Parts
from dibs.signals.resize import set_capacity
from line_harness import SATURDAY, SUNDAY, open_pool
from signals_harness import run_sql


async def test_what_is_given_back_is_offered_to_the_first_in_line(parts: Parts) -> None:
    pool = await open_pool(parts, 1)
    await pool.take("somebody")
    joined = await pool.join("ann")
    await pool.join("ben")
    await pool.turn()
    assert pool.told() == []
    await pool.free("somebody")
    offered_at = parts.clock.now()
    await pool.turn()
    assert pool.told() == ["ann"]
    first, second = await parts.line.list_places()
    assert (first.place_id, first.status, first.position) == (joined.place_id, "offered", 1)
    assert (second.status, second.position, second.ahead) == ("waiting", 2, 1)
    assert first.offer_date == SATURDAY
    assert first.offer_expires_at == offered_at + timedelta(seconds=600)
    assert await pool.references() == {str(first.offer_id)}


async def test_a_claimed_offer_stays_allocated_and_the_next_waits_on(parts: Parts, clock: FakeClock) -> None:
    pool = await open_pool(parts, 3)
    await pool.join("ann", 3)
    await pool.join("ben")
    await pool.turn()
    offer = await parts.claim.claim(pool.token_of("ann"))
    assert (offer.status, offer.booking_id) == ("claimed", None)
    assert (offer.name, offer.service_date, offer.quantity) == ("Day pass", SATURDAY, 3)
    assert await pool.references() == {offer.reference}
    clock.advance(3600)
    await pool.turn()
    assert pool.told() == ["ann"]
    assert await pool.allocated() == 3
    assert [place.status for place in await parts.line.list_places(live=False)] == ["served", "waiting"]


async def test_two_devices_and_double_clicks_get_one_answer(parts: Parts) -> None:
    pool = await open_pool(parts)
    await pool.join("ann", 2)
    await pool.turn()
    token = pool.token_of("ann")
    answers = await asyncio.gather(*(parts.claim.claim(token) for _ in range(6)))
    again = await parts.claim.claim(token)
    assert {(one.status, one.reference) for one in [*answers, again]} == {("claimed", again.reference)}
    assert await pool.allocated() == 2
    assert len(await run_sql(parts.db, "SELECT 1 FROM open_event WHERE status_after = 'Closed'")) == 1
    with pytest.raises(Conflict):
        await parts.claim.decline(token)


async def test_an_offer_that_lapses_is_released_once_and_goes_to_the_next(parts: Parts, clock: FakeClock) -> None:
    pool = await open_pool(parts, 1)
    await pool.join("ann")
    await pool.join("ben")
    await pool.turn()
    token = pool.token_of("ann")
    clock.advance(601)
    await asyncio.gather(*(parts.claim.lapse_once() for _ in range(3)))
    await pool.turn()
    assert pool.told() == ["ann", "ben"]
    assert await pool.allocated() == 1
    with pytest.raises(Gone):
        await parts.claim.claim(token)
    assert (await parts.claim.claim(pool.token_of("ben"))).status == "claimed"


async def test_nobody_can_claim_in_the_moment_after_the_time_limit(parts: Parts, clock: FakeClock) -> None:
    pool = await open_pool(parts, 1)
    await pool.join("ann")
    await pool.turn()
    clock.advance(600)
    with pytest.raises(Gone):
        await parts.claim.claim(pool.token_of("ann"))


async def test_who_lets_two_offers_lapse_leaves_and_keeps_nothing(parts: Parts, clock: FakeClock) -> None:
    pool = await open_pool(parts)
    joined = await pool.join("ann", 2, SATURDAY, SUNDAY)
    for _ in range(3):
        await pool.turn()
        clock.advance(601)
    await pool.turn()
    assert pool.told() == ["ann", "ann"]
    place = await parts.line.get(joined.place_id)
    assert (place.status, place.reason, place.lapses) == ("left", "max_lapses", 2)
    assert await pool.references() == set()


async def test_a_declined_date_goes_to_the_next_and_another_date_is_offered(parts: Parts) -> None:
    pool = await open_pool(parts, 1)
    joined = await pool.join("ann", 1, SATURDAY, SUNDAY)
    await pool.join("ben")
    await pool.turn()
    assert (await parts.claim.decline(pool.token_of("ann"))).status == "declined"
    await pool.turn()
    assert sorted(pool.told()) == ["ann", "ann", "ben"]
    ann, ben = await parts.line.list_places()
    assert (ann.place_id, ann.offer_date) == (joined.place_id, SUNDAY)
    assert ben.offer_date == SATURDAY


async def test_leaving_gives_the_quantity_to_the_next(parts: Parts) -> None:
    pool = await open_pool(parts)
    joined = await pool.join("ann", 2)
    await pool.join("ben", 2)
    await pool.turn()
    assert (await parts.line.leave(joined.place_id)).status == "left"
    assert (await parts.line.leave(joined.place_id)).status == "left"
    await pool.turn()
    assert pool.told() == ["ann", "ben"]
    assert await pool.allocated() == 2


async def test_the_first_date_that_fits_is_offered_in_the_order_of_dates(parts: Parts) -> None:
    pool = await open_pool(parts)
    await pool.take("somebody", 1)
    await pool.join("ann", 2, SATURDAY, SUNDAY)
    await pool.join("ben", 1, SATURDAY, SUNDAY)
    await pool.join("cem", 1, SATURDAY, SUNDAY)
    await pool.turn()
    dates = [place.offer_date for place in await parts.line.list_places()]
    assert dates == [SUNDAY, SATURDAY, None]


async def test_the_same_person_has_one_place_per_product(parts: Parts) -> None:
    pool = await open_pool(parts)
    first = await pool.join("ann")
    again = await pool.join("ann", 2, SUNDAY)
    assert (again.existing, again.place_id) == (True, first.place_id)


async def test_staff_can_reorder_the_line(parts: Parts) -> None:
    pool = await open_pool(parts, 1)
    await pool.take("somebody")
    for name in ("ann", "ben", "cem"):
        await pool.join(name)
    cem = (await parts.line.list_places(product=str(pool.key)))[2]
    assert (await parts.line.move(cem.place_id, 1)).position == 1
    assert (await parts.line.move(cem.place_id, 99)).position == 3
    await parts.line.move(cem.place_id, 1)
    await pool.free("somebody")
    await pool.turn()
    assert pool.told() == ["cem"]


async def test_who_waited_in_vain_leaves_when_the_last_date_is_over_where_the_product_is(
    parts: Parts, clock: FakeClock
) -> None:
    pool = await open_pool(parts, 1)
    await pool.take("somebody")
    joined = await pool.join("ann")
    # Midnight in New York, where summer time began on 8 March.
    clock.set(parts.clock.now().replace(month=3, day=15, hour=3, minute=59))
    await parts.claim.expire_once()
    assert (await parts.line.get(joined.place_id)).status == "waiting"
    clock.advance(61)
    await parts.claim.expire_once()
    place = await parts.line.get(joined.place_id)
    assert (place.status, place.reason) == ("expired", "nothing_opened")


async def test_a_date_of_today_can_be_offered_until_it_is_over_and_no_longer(parts: Parts, clock: FakeClock) -> None:
    pool = await open_pool(parts, 1)
    await pool.take("somebody")
    await pool.join("ann")
    late = parts.clock.now().replace(month=3, day=15, hour=3, minute=55)
    clock.set(late)
    await pool.free("somebody")
    await pool.turn()
    (place,) = await parts.line.list_places()
    assert place.offer_expires_at == late + timedelta(minutes=5)
    clock.advance(301)
    await pool.turn()
    assert await pool.references() == set()
    assert pool.told() == ["ann"]


@pytest.mark.parametrize(
    "freeing",
    [
        "UPDATE allocation SET released_at = now()",
        "DELETE FROM allocation",
        "UPDATE allocation SET quantity = 1",
        "UPDATE product_date SET capacity = 3",
        "UPDATE product_date SET allocated = 0",
    ],
)
async def test_raw_sql_that_makes_room_reaches_the_line(parts: Parts, freeing: str) -> None:
    pool = await open_pool(parts)
    await pool.take("somebody", 2)
    await pool.join("ann")
    await pool.turn()
    assert await run_sql(parts.db, "SELECT 1 FROM line_check WHERE due_at = '-infinity'") == []
    await run_sql(parts.db, freeing)
    await pool.turn()
    assert pool.told() == ["ann"]


async def test_a_rise_that_is_rolled_back_or_still_leaves_nothing_asks_nobody(parts: Parts) -> None:
    pool = await open_pool(parts)
    await pool.take("somebody", 2)
    await pool.join("ann")
    await pool.turn()
    async with parts.db.connection() as connection, connection.transaction(force_rollback=True):
        await connection.execute(b"DELETE FROM allocation")
    await set_capacity(parts.db, pool.key, SATURDAY, 1)
    await set_capacity(parts.db, pool.key, SATURDAY, 2)
    await set_capacity(parts.db, pool.key, SUNDAY, 5)
    assert await run_sql(parts.db, "SELECT 1 FROM line_check WHERE due_at = '-infinity'") == []


async def test_nothing_is_asked_where_nobody_waits(parts: Parts) -> None:
    pool = await open_pool(parts)
    await pool.take("somebody", 2)
    await pool.free("somebody")
    assert await run_sql(parts.db, "SELECT 1 FROM line_check") == []


async def test_a_line_is_looked_at_again_now_and_then_even_if_nobody_asks(parts: Parts, clock: FakeClock) -> None:
    pool = await open_pool(parts)
    await pool.take("somebody", 2)
    await pool.join("ann")
    await pool.turn()
    await run_sql(parts.db, "ALTER TABLE product_date DISABLE TRIGGER ask_line_date_freed")
    await run_sql(parts.db, "UPDATE product_date SET allocated = 0")
    await pool.turn()
    assert pool.told() == []
    clock.advance(301)
    await pool.turn()
    assert pool.told() == ["ann"]
