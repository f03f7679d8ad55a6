"""Floors: ids that stay, tables that cannot be taken away, and what signals learn of it."""

from __future__ import annotations

import asyncio

import pytest

from capacity_harness import DINNER_AT, House, claims, floor_document, later, open_house, table
from dibs.capacity import assign_tables, get_booking, hold_tables, put_floor, read_floor, table_states
from dibs.clock import FakeClock
from dibs.db import fetch_all, fetch_maybe
from dibs.errors import Conflict, Invalid, NotFound
from dibs.parts import Parts


@pytest.fixture
async def house(parts: Parts) -> House:
    return await open_house(parts)


def without(*numbers: str) -> dict[str, object]:
    document = floor_document(adjacencies=[])
    for zone in document["zones"]:
        zone["tables"] = [one for one in zone["tables"] if one["number"] not in numbers]
    return document


async def test_ids_follow_the_document_and_stay(house: House, parts: Parts) -> None:
    assert [one.number for one in (await read_floor(parts.capacity, house.slug)).tables] == [
        "A1", "A2", "A3", "A4", "G1", "G2",
    ]  # fmt: skip
    assert sorted(house.tables.values()) == [house[number] for number in ("A1", "A2", "A3", "A4", "G1", "G2")]
    document = floor_document()
    document["zones"].reverse()
    moved = document["zones"][1]["tables"].pop()
    document["zones"][0]["tables"].append({**moved, "capacity": 5})
    again = await open_house(parts, document)
    assert again.tables == house.tables
    assert again.zones == house.zones
    a4 = next(one for one in (await read_floor(parts.capacity, house.slug)).tables if one.number == "A4")
    assert (a4.capacity, a4.zone_id) == (5, house.zones["garden"])


async def test_a_table_that_comes_back_is_the_same(house: House, parts: Parts) -> None:
    gone = await open_house(parts, without("A4"))
    assert "A4" not in gone.tables
    assert (await open_house(parts)).tables == house.tables


async def test_a_table_with_future_claims_stays_unless_told(house: House, parts: Parts, clock: FakeClock) -> None:
    capacity = parts.capacity
    booking = await house.booking(4)
    await assign_tables(capacity, booking.booking_id, house.ids("A1", "A2"))
    held = await hold_tables(capacity, house.asks(), house.ids("A3"), held_by="t")
    with pytest.raises(Conflict) as refused:
        await put_floor(capacity, house.slug, without("A2", "A3", "A4"))
    assert refused.value.code == "capacity_conflict"
    assert refused.value.extra["tables"] == ["A2", "A3"]
    assert refused.value.extra["bookings"] == [str(booking.booking_id)]
    assert len((await read_floor(capacity, house.slug)).tables) == 6
    await put_floor(capacity, house.slug, without("A4"))  # nobody has A4
    put = await put_floor(capacity, house.slug, without("A2", "A3", "A4"), force=True)
    assert put.displaced == (booking.booking_id,)
    assert (await get_booking(capacity, booking.booking_id))[0].status == "pending"
    assert await claims(parts.db) == []
    assert held.hold_id
    clock.set(later(10_000))
    await put_floor(capacity, house.slug, without("A1", "A2", "A3", "A4"))


async def test_claims_of_the_past_and_expired_holds_keep_no_table(house: House, parts: Parts, clock: FakeClock) -> None:
    booking = await house.booking()
    await assign_tables(parts.capacity, booking.booking_id, house.ids("A1"))
    clock.set(later(65))
    await hold_tables(parts.capacity, house.asks(2, later(120)), house.ids("A2"), held_by="t")
    clock.advance(180)
    put = await put_floor(parts.capacity, house.slug, without("A1", "A2"))
    assert put.displaced == ()


async def test_states_at_a_moment(house: House, parts: Parts) -> None:
    booking = await house.booking()
    await assign_tables(parts.capacity, booking.booking_id, house.ids("A1"))
    await hold_tables(parts.capacity, house.asks(), house.ids("A2"), held_by="t")
    floor = await read_floor(parts.capacity, house.slug)
    assert await table_states(parts.capacity, floor, DINNER_AT) == {house["A1"]: "booked", house["A2"]: "held"}
    assert await table_states(parts.capacity, floor, later(65)) == {}
    assert len(await table_states(parts.capacity, floor, later(64.9))) == 2


async def test_bad_names_and_unknown_floors(parts: Parts) -> None:
    for slug in ("", "Blue Door", "ünder", "-a", "a" * 101):
        with pytest.raises(Invalid):
            await put_floor(parts.capacity, slug, floor_document())
    with pytest.raises(NotFound):
        await read_floor(parts.capacity, "nowhere")


async def test_floors_put_at_the_same_time_leave_one_of_them(parts: Parts) -> None:
    documents = [
        floor_document(zones=[{"name": "hall", "tables": [table(f"T{at}") for at in range(size)]}], adjacencies=[])
        for size in range(1, 9)
    ]
    await asyncio.gather(*(put_floor(parts.capacity, "busy", document) for document in documents))
    floor = await read_floor(parts.capacity, "busy")
    assert [one.number for one in floor.tables] == [f"T{at}" for at in range(len(floor.tables))]
    assert floor.version == 8


async def test_signals_learn_of_every_change(house: House, parts: Parts) -> None:
    async def told() -> list[tuple[str, str | None]]:
        async with parts.db.transaction() as connection:
            found = await fetch_all(connection, b"DELETE FROM floor_change RETURNING restaurant, service_date::text")
        return sorted({(row["restaurant"], row["service_date"]) for row in found}, key=str)

    async def truth(measure: str) -> dict[str, int] | None:
        async with parts.db.connection() as connection:
            return await fetch_maybe(
                connection, b"SELECT * FROM floor_truth('blue-door', '2026-03-02', %(measure)s)", {"measure": measure}
            )

    assert await told() == [("blue-door", None)]
    assert await truth("tables") == {"capacity": 5, "free": 5}
    booking = await house.booking()
    assert await told() == []
    held = await hold_tables(parts.capacity, house.asks(4), house.ids("A4"), held_by="t")
    await assign_tables(parts.capacity, booking.booking_id, house.ids("A1"))
    assert await told() == [("blue-door", "2026-03-02")]
    assert await truth("tables") == {"capacity": 5, "free": 3}
    assert await truth("covers") == {"capacity": 16, "free": 10}
    from dibs.capacity import cancel_booking, confirm_hold  # noqa: PLC0415 -- used in this step only

    await confirm_hold(parts.capacity, held.hold_id)
    assert await told() == []  # a hold that became a booking changed nothing
    await cancel_booking(parts.capacity, booking.booking_id)
    assert await told() == [("blue-door", "2026-03-02")]
    assert await truth("tables") == {"capacity": 5, "free": 4}
    await put_floor(parts.capacity, house.slug, floor_document())
    assert await told() == [("blue-door", None)]
    async with parts.db.connection() as connection:
        assert await fetch_all(connection, b"SELECT * FROM floor_truth('nowhere', '2026-03-02', 'tables')") == []
