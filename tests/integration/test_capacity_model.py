"""Holds and bookings behave as a plain model in memory says, whatever the order of things."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID, uuid4

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from capacity_harness import DINNER_AT, floor_document, overlaps, table
from dibs.capacity import (
    Capacity,
    Occasion,
    assign_tables,
    book,
    cancel_booking,
    confirm_hold,
    extend_hold,
    get_booking,
    hold_tables,
    list_holds,
    put_floor,
    release_hold,
    unassign_tables,
)
from dibs.capacity.model import Assignment
from dibs.capacity.sweep import Sweeper
from dibs.clock import FakeClock
from dibs.config.sections import Capacity as Settings
from dibs.db import Database
from dibs.errors import DibsError

T = TypeVar("T")
NUMBERS = ["A1", "A2", "A3"]
STARTS = [DINNER_AT, DINNER_AT + timedelta(minutes=30), DINNER_AT + timedelta(minutes=65)]
BLOCKED = timedelta(minutes=65)
TTL = 180
SETS = st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=2, unique=True).map(lambda chosen: tuple(sorted(chosen)))


@dataclass
class ModelHold:
    tables: tuple[str, ...]
    start: datetime
    expires: datetime
    booking: UUID | None = None
    over: str | None = None
    key: str | None = None


@dataclass
class ModelBooking:
    start: datetime
    tables: tuple[str, ...] = ()
    status: str = "pending"


@dataclass
class Model:
    """The whole rule book, without a database."""

    now: datetime
    holds: dict[UUID, ModelHold] = field(default_factory=dict[UUID, ModelHold])
    bookings: dict[UUID, ModelBooking] = field(default_factory=dict[UUID, ModelBooking])
    answers: dict[tuple[UUID, str], tuple[tuple[str, ...], Assignment]] = field(default_factory=dict[Any, Any])

    def live(self, hold: ModelHold) -> bool:
        return hold.over is None and hold.expires > self.now

    def taken(self, start: datetime, *, except_booking: UUID | None = None) -> set[str]:
        found: set[str] = set()
        for hold in self.holds.values():
            own = except_booking is not None and hold.booking == except_booking
            if self.live(hold) and abs(hold.start - start) < BLOCKED and not own:
                found |= set(hold.tables)
        for booking_id, booking in self.bookings.items():
            if booking_id != except_booking and abs(booking.start - start) < BLOCKED:
                found |= set(booking.tables)
        return found

    def release_holds_of(self, booking_id: UUID) -> None:
        for hold in self.holds.values():
            if hold.booking == booking_id and self.live(hold):
                hold.over = "released"


class Machine(RuleBasedStateMachine):
    holds: Bundle[UUID] = Bundle("holds")
    bookings: Bundle[UUID] = Bundle("bookings")

    def __init__(self, dsn: str) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = FakeClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
        self.db = Database(dsn, size=2)
        self.slug = f"model-{uuid4().hex}"
        self.run(self.db.open())
        self.capacity = Capacity(self.db, self.clock, Settings())
        tables = [table(number) for number in NUMBERS]
        document = floor_document(zones=[{"name": "hall", "tables": tables}], adjacencies=[])
        floor = self.run(put_floor(self.capacity, self.slug, document)).floor
        self.ids = {one.number: one.table_id for one in floor.tables}
        self.numbers = {one.table_id: one.number for one in floor.tables}
        self.model = Model(self.clock.now())
        self.keys = 0

    def teardown(self) -> None:
        self.run(self.capacity.close())
        self.run(self.db.close())
        self.runner.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def outcome(self, work: Coroutine[Any, Any, T]) -> tuple[str, T | None]:
        try:
            return "ok", self.run(work)
        except DibsError as error:
            return error.code, None

    def asks(self, start: datetime) -> Occasion:
        return Occasion(restaurant=self.slug, party_size=1, start_at=start)

    def new_key(self) -> str:
        self.keys += 1
        return f"k{self.keys}"

    @rule(target=bookings, start=st.sampled_from(STARTS))
    def books(self, start: datetime) -> UUID:
        booking = self.run(book(self.capacity, self.asks(start)))
        self.model.bookings[booking.booking_id] = ModelBooking(start)
        return booking.booking_id

    @rule(target=holds, tables=SETS, start=st.sampled_from(STARTS))
    def holds_tables(self, tables: tuple[str, ...], start: datetime) -> Any:
        return self._hold(self.asks(start), tables, start, None)

    @rule(target=holds, booking=bookings, tables=SETS)
    def holds_for_booking(self, booking: UUID, tables: tuple[str, ...]) -> Any:
        known = self.model.bookings[booking]
        return self._hold(Occasion(booking_id=booking), tables, known.start, booking)

    def _hold(self, occasion: Occasion, tables: tuple[str, ...], start: datetime, booking: UUID | None) -> Any:
        model = self.model
        expected = "ok"
        if booking and model.bookings[booking].status == "cancelled":
            expected = "inactive_booking"
        elif booking and sum(hold.booking == booking and model.live(hold) for hold in model.holds.values()) >= 3:
            expected = "too_many_holds"
        elif model.taken(start) & set(tables):
            expected = "capacity_conflict"
        work = hold_tables(self.capacity, occasion, [self.ids[one] for one in tables], held_by="t")
        code, held = self.outcome(work)
        assert code == expected
        if held is None:
            return multiple()
        model.holds[held.hold_id] = ModelHold(tables, start, model.now + timedelta(seconds=TTL), booking)
        return held.hold_id

    @rule(hold=holds, repeat=st.booleans(), other_key=st.booleans())
    def confirms(self, hold: UUID, repeat: bool, other_key: bool) -> None:
        known = self.model.holds[hold]
        if known.key is None:
            self._confirm(hold, known, self.new_key())
        if known.key is not None and repeat:
            code, again = self.outcome(confirm_hold(self.capacity, hold, idempotency_key=known.key))
            assert (code, again) == ("ok", self.model.answers[hold, known.key][1])
        if known.key is not None and other_key:
            code, _ = self.outcome(confirm_hold(self.capacity, hold, idempotency_key=self.new_key()))
            assert code == "hold_conflict"

    def _confirm(self, hold: UUID, known: ModelHold, key: str) -> None:
        model = self.model
        expected = "ok"
        if not model.live(known):
            expected = "hold_expired"
        elif known.booking and model.bookings[known.booking].status == "cancelled":
            expected = "inactive_booking"
        code, answer = self.outcome(confirm_hold(self.capacity, hold, idempotency_key=key))
        assert code == expected
        if answer is None:
            return
        known.over, known.key = "confirmed", key
        known.booking = answer.booking_id
        model.release_holds_of(answer.booking_id)
        model.bookings[answer.booking_id] = ModelBooking(known.start, known.tables, "confirmed")
        model.answers[hold, key] = (known.tables, answer)
        self._check_answer(answer, known.tables, known.start)

    def _check_answer(self, answer: Assignment, tables: tuple[str, ...], start: datetime) -> None:
        assert sorted(self.numbers[one.table_id] for one in answer.assignments) == sorted(tables)
        assert all((one.start_at, one.end_at) == (start, start + BLOCKED) for one in answer.assignments)
        assert (answer.merge_group_id is not None) == (len(tables) > 1)

    @rule(booking=bookings, tables=SETS, reuse=st.booleans())
    def assigns(self, booking: UUID, tables: tuple[str, ...], reuse: bool) -> None:
        model, known = self.model, self.model.bookings[booking]
        used = [key for owner, key in model.answers if owner == booking]
        key = used[-1] if used and reuse else self.new_key()
        first = model.answers.get((booking, key))
        expected = "ok"
        if first:
            expected = "ok" if first[0] == tables else "idempotency_mismatch"
        elif known.status == "cancelled":
            expected = "inactive_booking"
        elif model.taken(known.start, except_booking=booking) & set(tables):
            expected = "capacity_conflict"
        ids = [self.ids[one] for one in tables]
        code, answer = self.outcome(assign_tables(self.capacity, booking, ids, idempotency_key=key))
        assert code == expected
        if first and answer:
            assert answer == first[1]
        elif answer:
            model.release_holds_of(booking)
            known.tables, known.status = tables, "confirmed"
            model.answers[booking, key] = (tables, answer)
            self._check_answer(answer, tables, known.start)

    @rule(booking=bookings)
    def unassigns(self, booking: UUID) -> None:
        known = self.model.bookings[booking]
        code, freed = self.outcome(unassign_tables(self.capacity, booking))
        assert code == ("inactive_booking" if known.status == "cancelled" else "ok")
        if code == "ok":
            assert freed == len(known.tables)
            known.tables, known.status = (), "pending"

    @rule(booking=bookings)
    def cancels(self, booking: UUID) -> None:
        known = self.model.bookings[booking]
        assert self.run(cancel_booking(self.capacity, booking)).status == "cancelled"
        known.tables, known.status = (), "cancelled"
        self.model.release_holds_of(booking)

    @rule(hold=holds, seconds=st.sampled_from([30, 200, 600]))
    def extends(self, hold: UUID, seconds: int) -> None:
        known = self.model.holds[hold]
        code, _ = self.outcome(extend_hold(self.capacity, hold, seconds))
        if known.over == "confirmed":
            assert code == "hold_conflict"
        elif not self.model.live(known):
            assert code == "hold_expired"
        else:
            assert code == "ok"
            known.expires = self.model.now + timedelta(seconds=seconds)

    @rule(hold=consumes(holds))
    def releases(self, hold: UUID) -> None:
        known = self.model.holds[hold]
        code, _ = self.outcome(release_hold(self.capacity, hold))
        assert code == ("hold_conflict" if known.over == "confirmed" else "ok")
        if self.model.live(known):
            known.over = "released"

    @rule(seconds=st.sampled_from([1, 29, 30, 179, 180, 600]))
    def waits(self, seconds: int) -> None:
        self.model.now = self.clock.advance(seconds)

    @rule()
    def sweeps(self) -> None:
        self.run(Sweeper(self.capacity, "w").sweep())

    @invariant()
    def claims_are_those_of_the_model(self) -> None:
        model = self.model
        live = {hold_id for hold_id, hold in model.holds.items() if model.live(hold)}
        assert {hold.hold_id for hold in self.run(list_holds(self.capacity, restaurant=self.slug))} == live
        for booking_id, known in model.bookings.items():
            booking, tables = self.run(get_booking(self.capacity, booking_id))
            assert booking.status == known.status
            assert sorted(one.number for one in tables) == sorted(known.tables)
        assert self.run(self._overlaps()) == []

    async def _overlaps(self) -> list[dict[str, Any]]:
        async with self.db.connection() as connection:
            return await overlaps(connection)


def test_capacity_does_what_the_model_says(dsn: str) -> None:
    class OnThisDatabase(Machine):
        def __init__(self) -> None:
            super().__init__(dsn)

    run_state_machine_as_test(OnThisDatabase, settings=settings(max_examples=20, stateful_step_count=25))
