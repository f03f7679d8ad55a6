"""The line: who is offered what, and how an offer ends."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from capacity_harness import DINNER_AT, table
from dibs.capacity import get_booking, list_holds
from dibs.clock import FakeClock
from dibs.db import Keyspace, advisory_lock
from dibs.errors import Gone, Invalid, NotFound
from dibs.offers import FloorKeeper
from dibs.offers.model import Offer
from dibs.parts import Parts
from line_harness import open_line
from signals_harness import run_sql, until_waiting


async def test_room_that_opens_is_offered_to_the_first_in_line(parts: Parts) -> None:
    line = await open_line(parts)
    taken = await line.fill()
    await line.join("ann")
    await line.join("ben")
    await line.turn()
    assert line.told() == []
    await line.cancel(taken)
    offered_at = parts.clock.now()
    await line.turn()
    assert line.told() == ["ann"]
    places = await parts.line.list_places()
    assert [(place.status, place.position) for place in places] == [("offered", 1), ("waiting", 2)]
    assert places[0].offer_expires_at == offered_at + timedelta(seconds=600)


async def test_a_claimed_offer_is_a_booking_and_the_next_waits_on(parts: Parts) -> None:
    line = await open_line(parts)
    taken = await line.fill()
    await line.join("ann", guest={"name": "Ann"})
    await line.join("ben")
    await line.cancel(taken)
    await line.turn()
    offer = await parts.claim.claim(line.token_of("ann"))
    assert offer.status == "claimed"
    assert offer.booking_id is not None
    booking, _ = await get_booking(parts.capacity, offer.booking_id)
    assert booking.status == "confirmed"
    await line.turn()
    assert line.told() == ["ann"]
    assert [place.status for place in await parts.line.list_places(live=False)] == ["served", "waiting"]


async def test_a_second_click_and_another_device_get_the_same_answer(parts: Parts) -> None:
    line = await open_line(parts)
    await line.join("ann")
    await line.turn()
    token = line.token_of("ann")
    answers = await asyncio.gather(*(parts.claim.claim(token) for _ in range(5)))
    again = await parts.claim.claim(token)
    assert len({answer.booking_id for answer in [*answers, again]}) == 1


async def test_an_offer_that_lapses_goes_to_the_next(parts: Parts, clock: FakeClock) -> None:
    line = await open_line(parts)
    taken = await line.fill()
    await line.join("ann")
    await line.join("ben")
    await line.cancel(taken)
    await line.turn()
    token = line.token_of("ann")
    clock.advance(601)
    await line.turn()
    assert line.told() == ["ann", "ben"]
    with pytest.raises(Gone):
        await parts.claim.claim(token)
    assert (await parts.claim.claim(line.token_of("ben"))).status == "claimed"


async def test_who_lets_two_offers_lapse_leaves_the_line(parts: Parts, clock: FakeClock) -> None:
    line = await open_line(parts)
    joined = await line.join("ann", latest=DINNER_AT + timedelta(minutes=30))
    await line.turn()
    clock.advance(601)
    await line.turn()
    assert line.told() == ["ann", "ann"]
    clock.advance(601)
    await line.turn()
    place = await parts.line.get(joined.place_id)
    assert (place.status, place.reason) == ("left", "max_lapses")
    assert await list_holds(parts.capacity) == []


async def test_a_declined_start_goes_to_the_next_and_the_place_is_kept(parts: Parts) -> None:
    line = await open_line(parts)
    joined = await line.join("ann")
    await line.join("ben")
    await line.turn()
    assert (await parts.claim.decline(line.token_of("ann"))).status == "declined"
    await line.turn()
    assert line.told() == ["ann", "ben"]
    assert (await parts.line.get(joined.place_id)).status == "waiting"


async def test_leaving_gives_the_table_to_the_next(parts: Parts) -> None:
    line = await open_line(parts)
    joined = await line.join("ann")
    await line.join("ben")
    await line.turn()
    assert (await parts.line.leave(joined.place_id)).status == "left"
    assert (await parts.line.leave(joined.place_id)).status == "left"
    await line.turn()
    assert line.told() == ["ann", "ben"]


async def test_the_notice_says_until_when_and_its_link_is_a_secret(parts: Parts) -> None:
    line = await open_line(parts)
    await line.join("ann")
    await line.turn()
    message = line.rig.channel.sent[0]
    assert message.event.payload["claim_url"].startswith("https://dibs.example/claim?token=")
    assert "kept_until" in message.event.payload
    async with parts.db.connection() as connection:
        cursor = await connection.execute("SELECT payload::text FROM open_event")
        assert all("claim" not in row[0] for row in await cursor.fetchall())
    for token in ("", "x", "0" * 32 + ".", line.token_of("ann")[:-1] + "!", "é" * 40):
        with pytest.raises(NotFound):
            await parts.claim.look(token)


async def test_the_same_person_has_one_place_a_day(parts: Parts) -> None:
    line = await open_line(parts)
    first = await line.join("ann")
    again = await line.join("ann")
    assert (again.existing, again.place_id) == (True, first.place_id)


async def test_staff_can_reorder_the_line(parts: Parts) -> None:
    line = await open_line(parts)
    taken = await line.fill()
    for name in ("ann", "ben", "cem"):
        await line.join(name)
    cem = (await parts.line.list_places())[2]
    assert (await parts.line.move(cem.place_id, 1)).position == 1
    assert (await parts.line.move(cem.place_id, 2)).position == 2
    assert (await parts.line.move(cem.place_id, 99)).position == 3
    await parts.line.move(cem.place_id, 1)
    await line.cancel(taken)
    await line.turn()
    assert line.told() == ["cem"]


async def test_who_waited_in_vain_leaves_when_the_last_start_has_passed(parts: Parts, clock: FakeClock) -> None:
    line = await open_line(parts)
    await line.fill()
    joined = await line.join("ann")
    clock.set(DINNER_AT + timedelta(minutes=1))
    await parts.claim.expire_once()
    place = await parts.line.get(joined.place_id)
    assert (place.status, place.reason) == ("expired", "nothing_opened")


async def test_a_held_table_that_expires_unswept_is_offered(parts: Parts, clock: FakeClock) -> None:
    line = await open_line(parts)
    await line.block("A1")
    await line.join("ann")
    await line.turn()
    assert line.told() == []
    clock.advance(601)
    await line.join("ben")
    await line.turn()
    assert line.told() == ["ann"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"party_size": 0}, "invalid_request"),
        ({"party_size": 50}, "insufficient_capacity"),
        ({"latest": DINNER_AT - timedelta(hours=1)}, "invalid_request"),
        ({"latest": DINNER_AT + timedelta(hours=13)}, "invalid_request"),
        ({"earliest": DINNER_AT - timedelta(days=30), "latest": DINNER_AT - timedelta(days=30)}, "invalid_start"),
        (
            {"earliest": DINNER_AT + timedelta(hours=7), "latest": DINNER_AT + timedelta(hours=8)},
            "no_service",
        ),
        ({"earliest": None}, "invalid_request"),
        ({"channel": "pigeon"}, "invalid_request"),
    ],
)
async def test_a_wish_that_makes_no_sense_is_refused(parts: Parts, change: dict[str, Any], code: str) -> None:
    line = await open_line(parts)
    with pytest.raises(Invalid) as caught:
        await line.join("ann", **change)
    assert caught.value.code == code
    assert await parts.line.list_places() == []


async def test_an_unknown_restaurant_is_named(parts: Parts) -> None:
    line = await open_line(parts)
    with pytest.raises(NotFound):
        await line.join("ann", restaurant="nowhere")


async def test_room_that_was_there_already_is_offered_on_joining(parts: Parts) -> None:
    line = await open_line(parts, table("A1", 2), table("A2", 4))
    await line.join("ann", 4)
    await line.join("ben", 2)
    await line.turn()
    assert line.told() == ["ann", "ben"]


async def test_moving_somebody_waits_for_the_usher_without_holding_him_up(parts: Parts) -> None:
    """An usher holds the line and waits for rows; whoever moves a place must not hold one and wait for the line."""
    line = await open_line(parts)
    joined = await line.join("ann")
    key = (await parts.line.get(joined.place_id)).line_key
    async with parts.db.transaction() as usher:
        await advisory_lock(usher, Keyspace.LINE, key)
        moving = asyncio.create_task(parts.line.move(joined.place_id, 1))
        await until_waiting(parts.db)
        async with parts.db.transaction() as connection:
            await connection.execute(b"SET LOCAL lock_timeout = '20s'")
            await connection.execute(b"UPDATE line_place SET passed = 1")
    assert (await moving).passed == 1


async def test_who_declines_while_they_claim_is_left_with_no_booking(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = await open_line(parts)
    await line.join("ann")
    await line.turn()
    token = line.token_of("ann")
    confirm = FloorKeeper.confirm

    async def confirm_and_decline(keeper: FloorKeeper, offer: Offer) -> UUID | None:
        booking_id = await confirm(keeper, offer)
        await parts.claim.end(offer, "declined")
        return booking_id

    monkeypatch.setattr(FloorKeeper, "confirm", confirm_and_decline)
    with pytest.raises(Gone):
        await parts.claim.claim(token)
    rows = await run_sql(parts.db, "SELECT status FROM bookings")
    assert rows == [("cancelled",)]
    assert (await parts.claim.look(token)).offer.status == "declined"


async def test_a_bar_ends_by_itself_and_what_it_kept_free_is_offered(parts: Parts, clock: FakeClock) -> None:
    """Nothing changes when somebody has come first for long enough; the line is looked at then all the same."""
    line = await open_line(parts, table("A1", 2), table("A2", 2))
    seated = await line.fill()
    await line.fill()
    await line.join("four", 4)
    await line.join("two")
    await run_sql(parts.db, "UPDATE line_place SET passed = 3, first_since = %s WHERE party_size = 4", [clock.now()])
    await line.cancel(seated)
    await line.turn()
    assert line.told() == []
    for _ in range(7):
        clock.advance(300)
        await line.turn()
    assert line.told() == ["two"]
