"""Holds, confirms and assigns against the real database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from datetime import timedelta
from uuid import UUID, uuid4

import psycopg
import pytest

from capacity_harness import DINNER_AT, House, claims, floor_document, later, open_house, rows_of_tables, table
from dibs.capacity import (
    Filters,
    assign_tables,
    cancel_booking,
    confirm_hold,
    extend_hold,
    get_booking,
    get_hold,
    hold_tables,
    list_holds,
    put_floor,
    quote,
    release_hold,
    set_status,
    unassign_tables,
    validate,
)
from dibs.capacity.observation_store import list_observations
from dibs.capacity.sweep import Sweeper
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import Capacity as Settings
from dibs.db import fetch_all
from dibs.errors import Conflict, DibsError, Gone, Invalid, NotFound, TooMany
from dibs.parts import Parts


@pytest.fixture
async def house(parts: Parts) -> House:
    return await open_house(parts)


async def hold(house: House, *numbers: str, party: int = 2, held_by: str = "t") -> UUID:
    held = await hold_tables(house.parts.capacity, house.asks(party), house.ids(*numbers), held_by=held_by)
    return held.hold_id


async def refused(code: str, kind: type[DibsError], work: Awaitable[object]) -> None:
    with pytest.raises(kind) as caught:
        await work
    assert caught.value.code == code


async def test_quote_holds_the_best_and_says_what_else(house: House) -> None:
    quoted = await quote(house.parts.capacity, house.asks(2), Filters(), held_by="t")
    assert quoted.candidate
    assert quoted.candidate.table_numbers == ("A1",)
    assert [one.table_numbers for one in quoted.alternates] == [("A2",), ("A3",), ("A4",)]
    assert quoted.expires_at == house.parts.clock.now() + timedelta(seconds=180)
    assert quoted.window.end_at == later(65)
    assert quoted.next_times == (later(15), later(30), later(45))
    assert quoted.reason is None
    again = await quote(house.parts.capacity, house.asks(2), Filters(), held_by="t")
    assert again.candidate
    assert again.candidate.table_numbers == ("A2",)


async def test_quote_says_why_nothing_fits_and_when_it_will(parts: Parts) -> None:
    house = await open_house(parts, rows_of_tables(2))
    booking = await house.booking(4)
    await assign_tables(parts.capacity, booking.booking_id, house.ids("T000", "T001"))
    full = await quote(parts.capacity, house.asks(2), Filters(), held_by="t")
    assert (full.candidate, full.hold_id, full.reason) == (None, None, "no_tables_free")
    assert full.detail
    # A party of four stays 75 minutes and five more: the first quarter hour after that is 19:30.
    assert full.next_times == (later(90), later(105), later(120))
    for party, reason in [(5, "insufficient_capacity"), (0, "invalid_party_size"), (-3, "invalid_party_size")]:
        answered = await quote(parts.capacity, house.asks(party), Filters(), held_by="t")
        assert (answered.reason, answered.next_times) == (reason, ())
    few = await quote(parts.capacity, house.asks(4), Filters(max_tables=1), held_by="t")
    assert few.reason == "insufficient_filtered_capacity"


async def test_a_hold_becomes_a_booking_and_the_repeat_gets_the_first_answer(house: House) -> None:
    capacity = house.parts.capacity
    quoted = await quote(capacity, house.asks(4), Filters(avoid_tables=frozenset(house.ids("A4", "G1"))), held_by="t")
    assert quoted.hold_id
    first = await confirm_hold(capacity, quoted.hold_id, guest={"name": "Ada"}, idempotency_key="k")
    assert first.merge_group_id
    assert [claim.table_id for claim in first.assignments] == house.ids("A1", "A2")
    booking, tables = await get_booking(capacity, first.booking_id)
    assert (booking.status, booking.guest, len(tables)) == ("confirmed", {"name": "Ada"}, 2)
    again = await confirm_hold(capacity, quoted.hold_id, guest={"name": "Ada"}, idempotency_key="k")
    assert again == first
    await refused("hold_conflict", Conflict, confirm_hold(capacity, quoted.hold_id, idempotency_key="other"))
    other = uuid4()
    await refused(
        "idempotency_mismatch", Conflict, confirm_hold(capacity, quoted.hold_id, booking_id=other, idempotency_key="k")
    )
    await refused("hold_conflict", Conflict, release_hold(capacity, quoted.hold_id))
    await refused("hold_conflict", Conflict, extend_hold(capacity, quoted.hold_id, 60))


async def test_one_key_cannot_confirm_two_holds(house: House) -> None:
    capacity = house.parts.capacity
    one, other = await hold(house, "A1"), await hold(house, "A2")
    await confirm_hold(capacity, one, idempotency_key="k")
    await refused("idempotency_mismatch", Conflict, confirm_hold(capacity, other, idempotency_key="k"))
    booking = await house.booking()
    await assign_tables(capacity, booking.booking_id, house.ids("A3"), idempotency_key="k")
    await refused(
        "idempotency_mismatch",
        Conflict,
        assign_tables(capacity, booking.booking_id, house.ids("A4"), idempotency_key="k"),
    )


async def test_the_answer_outlives_the_hold_and_the_booking(house: House, clock: FakeClock) -> None:
    capacity = house.parts.capacity
    held = await hold(house, "A1")
    first = await confirm_hold(capacity, held, idempotency_key="k")
    await cancel_booking(capacity, first.booking_id)
    clock.advance(100_000)
    await Sweeper(capacity, "w").run_once()
    async with house.parts.db.transaction() as connection:
        await connection.execute("DELETE FROM table_holds")
    assert await confirm_hold(capacity, held, idempotency_key="k") == first


async def test_an_expired_hold_neither_blocks_nor_confirms(house: House, clock: FakeClock) -> None:
    capacity = house.parts.capacity
    held = await hold(house, "A1")
    clock.advance(180)
    await refused("hold_expired", Gone, confirm_hold(capacity, held, idempotency_key="k"))
    await refused("hold_expired", Gone, extend_hold(capacity, held, 60))
    assert [claim["hold_id"] for claim in await claims(house.parts.db)] == [held]  # nobody has swept it
    quoted = await quote(capacity, house.asks(2), Filters(), held_by="t")
    assert quoted.candidate
    assert quoted.candidate.table_numbers == ("A1",)
    assert (await get_hold(capacity, held)).status == "expired"
    booking = await house.booking()
    clock.advance(180)
    await assign_tables(capacity, booking.booking_id, house.ids("A1"), idempotency_key="k")


async def test_extension_counts_from_now(house: House, clock: FakeClock) -> None:
    capacity = house.parts.capacity
    held = await hold(house, "A1")
    clock.advance(100)
    assert (await extend_hold(capacity, held, 600)).expires_at == clock.now() + timedelta(seconds=600)
    clock.advance(599)
    await refused("capacity_conflict", Conflict, hold(house, "A1"))
    for seconds in (29, 601, -1):
        await refused("invalid_request", Invalid, extend_hold(capacity, held, seconds))


async def test_release_is_idempotent_and_final(house: House, clock: FakeClock) -> None:
    capacity = house.parts.capacity
    held = await hold(house, "A1")
    await release_hold(capacity, held)
    await release_hold(capacity, held)
    assert await claims(house.parts.db) == []
    await refused("hold_expired", Gone, confirm_hold(capacity, held, idempotency_key="k"))
    lapsed = await hold(house, "A1")
    clock.advance(500)
    await release_hold(capacity, lapsed)
    for work in (confirm_hold(capacity, uuid4()), release_hold(capacity, uuid4()), extend_hold(capacity, uuid4(), 60)):
        await refused("not_found", NotFound, work)


@pytest.mark.parametrize(
    ("numbers", "party", "adjacency", "code"),
    [
        (("A1", "G1"), 2, False, "cross_zone"),
        (("G2",), 2, False, "inactive_table"),
        (("A1",), 3, False, "insufficient_capacity"),
        (("A1", "A3"), 4, True, "not_adjacent"),
        (("A1", "A2", "A4"), 6, True, "not_adjacent"),
    ],
)
async def test_every_check_is_repeated_in_the_database(
    house: House, numbers: tuple[str, ...], party: int, adjacency: bool, code: str
) -> None:
    capacity = house.parts.capacity
    work = hold_tables(capacity, house.asks(party), house.ids(*numbers), held_by="t", require_adjacency=adjacency)
    await refused(code, Invalid, work)
    booking = await house.booking(party)
    ids = house.ids(*numbers)
    await refused(code, Invalid, assign_tables(capacity, booking.booking_id, ids, require_adjacency=adjacency))
    checks = await validate(capacity, house.asks(party), ids, require_adjacency=adjacency)
    assert not checks.ok
    assert await claims(house.parts.db) == []


async def test_a_fixed_table_is_never_merged(parts: Parts) -> None:
    tables = [table("A1"), table("A2", mobility="fixed")]
    house = await open_house(parts, floor_document(zones=[{"name": "hall", "tables": tables}], adjacencies=[]))
    await refused("fixed_merge", Invalid, hold(house, "A1", "A2", party=3))
    assert not (await validate(parts.capacity, house.asks(3), house.ids("A1", "A2"))).movable_for_merge.ok


async def test_a_path_written_in_one_direction_is_connected(house: House) -> None:
    """The floor says A3–A2 and A1–A2, one row each."""
    held = await hold_tables(
        house.parts.capacity, house.asks(6), house.ids("A1", "A2", "A3"), held_by="t", require_adjacency=True
    )
    assert held.candidate.adjacency_status == "connected"


async def test_tables_of_another_restaurant_are_unknown(house: House, parts: Parts) -> None:
    other = await open_house(parts, slug="other")
    booking = await house.booking()
    await refused("not_found", NotFound, assign_tables(parts.capacity, booking.booking_id, other.ids("A1")))
    await refused("not_found", NotFound, hold_tables(parts.capacity, house.asks(), [uuid4()], held_by="t"))
    await refused("not_found", NotFound, hold_tables(parts.capacity, house.asks(), other.ids("A1"), held_by="t"))


async def test_windows_are_half_open(house: House) -> None:
    capacity = house.parts.capacity
    await hold(house, "A1")
    asks = house.asks(2, later(65))
    await hold_tables(capacity, asks, house.ids("A1"), held_by="t")
    await refused(
        "capacity_conflict",
        Conflict,
        hold_tables(capacity, house.asks(2, later(64)), house.ids("A1"), held_by="t"),
    )


async def test_the_database_refuses_overlap_by_raw_insert(house: House) -> None:
    capacity = house.parts.capacity
    held = await hold(house, "A1")
    booking = await house.booking()
    booked = await house.booking()
    await assign_tables(capacity, booked.booking_id, house.ids("A2"))
    raw = """
        INSERT INTO allocations
            (restaurant_id, table_id, resource_type, booking_id, hold_id, blocked, service_date, lapses_at)
        VALUES (%s, %s, %s, %s, %s, tstzrange(%s, %s), %s, %s)
    """
    for number, kind, booking_id, hold_id in [
        ("A1", "booking", booking.booking_id, None),  # a hold blocks a booking
        ("A2", "hold", None, held),  # a booking blocks a hold
        ("A1", "hold", None, held),  # a hold blocks a hold
        ("A2", "booking", booking.booking_id, None),
    ]:
        values = (booking.restaurant_id, house[number], kind, booking_id, hold_id, DINNER_AT, later(60))
        with pytest.raises(psycopg.errors.ExclusionViolation):
            async with house.parts.db.transaction() as connection:
                await connection.execute(raw, (*values, booking.service_date, later(60) if hold_id else None))
    values = (booking.restaurant_id, house["A3"], "booking", booking.booking_id, None, DINNER_AT, later(60))
    async with house.parts.db.transaction() as connection:
        await connection.execute(raw, (*values, booking.service_date, None))  # the control: a free table takes it


async def test_cancelling_frees_tables_and_holds_at_once(house: House) -> None:
    capacity = house.parts.capacity
    booking = await house.booking(4)
    await assign_tables(capacity, booking.booking_id, house.ids("A1", "A2"))
    mine = await quote(capacity, type(house.asks())(booking_id=booking.booking_id), Filters(), held_by="t")
    assert mine.hold_id
    cancelled = await cancel_booking(capacity, booking.booking_id)
    assert cancelled.status == "cancelled"
    assert await claims(house.parts.db) == []
    assert (await cancel_booking(capacity, booking.booking_id)).status == "cancelled"
    await refused("inactive_booking", Conflict, assign_tables(capacity, booking.booking_id, house.ids("A1")))
    await refused("hold_expired", Gone, confirm_hold(capacity, mine.hold_id))
    again = quote(capacity, type(house.asks())(booking_id=booking.booking_id), Filters(), held_by="t")
    await refused("inactive_booking", Conflict, again)


async def test_moving_a_party_frees_what_it_had(house: House) -> None:
    capacity = house.parts.capacity
    booking = await house.booking(4)
    await assign_tables(capacity, booking.booking_id, house.ids("A1", "A2"), idempotency_key="1")
    moved = await assign_tables(capacity, booking.booking_id, house.ids("A2", "A3"), idempotency_key="2")
    assert [claim["number"] for claim in await claims(house.parts.db)] == ["A2", "A3"]
    assert moved.merge_group_id
    single = await assign_tables(capacity, booking.booking_id, house.ids("A4"), idempotency_key="3")
    assert single.merge_group_id is None
    first = await assign_tables(capacity, booking.booking_id, house.ids("A2", "A1"), idempotency_key="1")
    assert [claim.table_id for claim in first.assignments] == house.ids("A1", "A2")  # the first answer, nothing moved
    assert [claim["number"] for claim in await claims(house.parts.db)] == ["A4"]
    assert await unassign_tables(capacity, booking.booking_id) == 1
    assert (await get_booking(capacity, booking.booking_id))[0].status == "pending"
    async with house.parts.db.connection() as connection:
        assert await fetch_all(connection, b"SELECT * FROM merge_groups") == []


async def test_a_booking_is_not_blocked_by_its_own_hold(house: House) -> None:
    capacity = house.parts.capacity
    booking = await house.booking()
    occasion = type(house.asks())(booking_id=booking.booking_id)
    await hold_tables(capacity, occasion, house.ids("A1"), held_by="t")
    await assign_tables(capacity, booking.booking_id, house.ids("A1"))
    assert [(claim["number"], claim["resource_type"]) for claim in await claims(house.parts.db)] == [("A1", "booking")]
    assert await list_holds(capacity) == []


async def test_a_hold_is_confirmed_only_for_a_booking_it_fits(house: House) -> None:
    capacity = house.parts.capacity
    held = await hold(house, "A1")
    later_booking = await house.booking(2, later(30))
    await refused("hold_conflict", Conflict, confirm_hold(capacity, held, booking_id=later_booking.booking_id))
    large = await house.booking(3, DINNER_AT)
    with pytest.raises(DibsError):
        await confirm_hold(capacity, held, booking_id=large.booking_id)
    mine = await house.booking()
    occasion = type(house.asks())(booking_id=mine.booking_id)
    other_hold = await hold_tables(capacity, occasion, house.ids("A2"), held_by="t")
    stranger = await house.booking()
    work = confirm_hold(capacity, other_hold.hold_id, booking_id=stranger.booking_id)
    await refused("hold_conflict", Conflict, work)
    done = await confirm_hold(capacity, held, booking_id=mine.booking_id, guest={"phone": "1"})
    assert done.booking_id == mine.booking_id
    # What else was held for this booking is free again.
    assert [claim["number"] for claim in await claims(house.parts.db)] == ["A1"]


async def test_what_ends_a_booking(house: House, clock: FakeClock) -> None:
    capacity = house.parts.capacity
    clock.set(DINNER_AT)
    eaten = await house.booking()
    await assign_tables(capacity, eaten.booking_id, house.ids("A1"))
    await set_status(capacity, eaten.booking_id, "seated")
    clock.advance(1800)
    await set_status(capacity, eaten.booking_id, "completed")
    assert [claim["end_at"] for claim in await claims(house.parts.db)] == [later(30)]
    missed = await house.booking()
    await assign_tables(capacity, missed.booking_id, house.ids("A2"))
    await set_status(capacity, missed.booking_id, "no_show")
    assert [claim["number"] for claim in await claims(house.parts.db)] == ["A1"]
    await refused("inactive_booking", Conflict, set_status(capacity, missed.booking_id, "seated"))
    await refused("invalid_request", Invalid, set_status(capacity, missed.booking_id, "eaten"))
    waiting = await house.booking()
    clock.advance(7200)
    await Sweeper(capacity, "w").run_once()
    assert (await get_booking(capacity, waiting.booking_id))[0].status == "expired"


@pytest.fixture
def small_limits() -> Settings:
    return Settings(max_holds_per_token=5, max_holds_per_booking=2)


class TestLimits:
    @pytest.fixture
    def config(self, small_limits: Settings) -> Config:
        return Config(capacity=small_limits)

    async def test_live_holds_per_token_and_per_booking(self, parts: Parts, clock: FakeClock) -> None:
        house = await open_house(parts, rows_of_tables(12))
        booking = await house.booking()
        occasion = type(house.asks())(booking_id=booking.booking_id)
        for _ in range(2):
            await quote(parts.capacity, occasion, Filters(), held_by="one")
        await refused("too_many_holds", TooMany, quote(parts.capacity, occasion, Filters(), held_by="two"))
        outcomes = await asyncio.gather(
            *(quote(parts.capacity, house.asks(), Filters(), held_by="one") for _ in range(8)), return_exceptions=True
        )
        refusals = [one for one in outcomes if isinstance(one, TooMany)]
        assert len(refusals) == 5  # two of five were taken, three were left
        await quote(parts.capacity, house.asks(), Filters(), held_by="two")
        clock.advance(181)
        await quote(parts.capacity, house.asks(), Filters(), held_by="one")


async def test_the_sweeper_tidies_and_tells_once(house: House, clock: FakeClock) -> None:
    capacity = house.parts.capacity
    booking = await house.booking()
    swept = await hold(house, "A1")
    cleared = await hold(house, "A2")
    extended = await hold(house, "A3")
    released = await hold(house, "A4")
    occasion = type(house.asks())(booking_id=booking.booking_id)
    aside = await hold_tables(capacity, occasion, house.ids("G1"), held_by="t", ttl_s=600)
    await extend_hold(capacity, extended, 600)
    await release_hold(capacity, released)
    clock.advance(181)
    await assign_tables(capacity, booking.booking_id, house.ids("A2"))  # clears one, sets one free
    sweeper = Sweeper(capacity, "w")
    assert await sweeper.sweep() == 3
    assert await sweeper.sweep() == 0
    await capacity.recorder.flush()
    async with house.parts.db.connection() as connection:
        seen = await list_observations(connection, limit=500)
    told = sorted((one.event_type, one.context["hold_id"]) for one in seen if "hold_id" in one.context)
    assert [one for one in told if one[0] == "capacity.hold.expired"] == sorted(
        ("capacity.hold.expired", str(one)) for one in (swept, cleared)
    )
    assert [one for one in told if one[0] == "capacity.hold.released"] == sorted(
        ("capacity.hold.released", str(one)) for one in (released, aside.hold_id)
    )
    assert [one.hold_id for one in await list_holds(capacity)] == [extended]
    clock.advance(600)
    assert await sweeper.sweep() == 1


async def test_two_sweepers_share_the_work(parts: Parts, clock: FakeClock) -> None:
    house = await open_house(parts, rows_of_tables(30))
    for at in range(30):
        await hold(house, f"T{at:03}")
    clock.advance(181)
    counts = await asyncio.gather(*(Sweeper(parts.capacity, f"w{at}").sweep() for at in range(4)))
    assert sum(counts) == 30
    assert await claims(parts.db) == []


async def test_ten_parallel_confirms_of_one_hold(house: House) -> None:
    capacity = house.parts.capacity
    held = await hold(house, "A1")
    outcomes = await asyncio.gather(
        *(confirm_hold(capacity, held, idempotency_key=f"k{at}") for at in range(10)), return_exceptions=True
    )
    lost = [one for one in outcomes if isinstance(one, Conflict)]
    assert len(lost) == 9
    assert {one.code for one in lost} == {"hold_conflict"}


async def test_ten_parallel_assigns_of_one_table(house: House) -> None:
    capacity = house.parts.capacity
    bookings = [await house.booking() for _ in range(10)]
    outcomes = await asyncio.gather(
        *(assign_tables(capacity, one.booking_id, house.ids("A1"), idempotency_key="k") for one in bookings),
        return_exceptions=True,
    )
    lost = [one for one in outcomes if isinstance(one, Conflict)]
    assert len(lost) == 9
    assert {one.code for one in lost} == {"capacity_conflict"}


async def test_ten_parallel_repeats_of_one_confirm_have_one_answer(house: House) -> None:
    capacity = house.parts.capacity
    held = await hold(house, "A1")
    answers = await asyncio.gather(*(confirm_hold(capacity, held, idempotency_key="k") for _ in range(10)))
    assert all(one == answers[0] for one in answers)
    booking = await house.booking()
    work = [assign_tables(capacity, booking.booking_id, house.ids("A2"), idempotency_key="k") for _ in range(10)]
    assigned = await asyncio.gather(*work)
    assert all(one == assigned[0] for one in assigned)


async def test_any_client_can_call_the_functions(house: House) -> None:
    booking = await house.booking(4)
    statement = b"SELECT * FROM assign_tables_atomic_v2(%(booking)s, %(tables)s, %(key)s, true)"
    values = {"booking": booking.booking_id, "tables": house.ids("A2", "A1"), "key": "k"}
    async with house.parts.db.connection() as connection:
        first = await fetch_all(connection, statement, values)
        assert await fetch_all(connection, statement, values) == first
    assert [row["table_id"] for row in first] == house.ids("A1", "A2")
    assert (first[0]["start_at"], first[0]["end_at"]) == (DINNER_AT, later(80))
    assert first[0]["merge_group_id"] == first[1]["merge_group_id"]
    held = await hold(house, "A3")
    async with house.parts.db.connection() as connection:
        # The function's own clock is far from the test's, so its time is handed in.
        rows = await fetch_all(
            connection,
            b"SELECT * FROM confirm_hold(%(hold)s, 'k', p_now => %(now)s)",
            {"hold": held, "now": house.parts.clock.now()},
        )
    assert [row["table_id"] for row in rows] == house.ids("A3")


async def test_a_changed_floor_is_seen_by_the_next_quote(house: House) -> None:
    capacity = house.parts.capacity
    await quote(capacity, house.asks(), Filters(), held_by="t")
    document = floor_document()
    document["zones"][0]["tables"][1]["active"] = False
    await put_floor(capacity, house.slug, document)
    other_process = type(capacity)(capacity.db, capacity.clock, capacity.settings)
    await quote(other_process, house.asks(), Filters(), held_by="t")
    document["zones"][0]["tables"][3]["active"] = False
    await put_floor(capacity, house.slug, document)
    quoted = await quote(other_process, house.asks(), Filters(), held_by="t")
    assert quoted.candidate
    assert quoted.candidate.table_numbers == ("G1",)
    await other_process.close()
