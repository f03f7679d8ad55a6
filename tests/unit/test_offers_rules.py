"""The rules of the line, pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dibs.offers.floor_rules import STEP, FloorGround
from dibs.offers.model import Settings, Waiting
from dibs.offers.pool_rules import PoolDay, PoolGround
from dibs.offers.rules import after_lapse, comes_first, look_again_at, passed_over, turns

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
STAY = timedelta(minutes=95)
SETTINGS = Settings(max_passed=3, first_for_s=600)
FLOOR = FloorGround(STAY, NOW)


def starts_of(place: Waiting, now: datetime) -> tuple[datetime, ...]:
    return FloorGround(STAY, now).starts(place)


def place(number: int, *, start: int = 0, length: int = 4, **more: object) -> Waiting:
    earliest = NOW + timedelta(hours=6) + start * STEP
    return Waiting(number, 2, earliest, earliest + length * STEP, **more)  # pyright: ignore[reportArgumentType] -- fields by name


lines = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 8), st.integers(0, 5), st.booleans()), min_size=0, max_size=8
)


def line_of(drawn: list[tuple[int, int, int, bool]]) -> list[Waiting]:
    return [
        place(number, start=start, length=length, passed=passed, first_since=NOW if first else None)
        for number, (start, length, passed, first) in enumerate(drawn)
    ]


def test_the_starts_are_quarter_hours_that_are_ahead_and_were_not_turned_down() -> None:
    waiting = place(1, length=3)
    second = waiting.earliest + STEP
    again = Waiting(1, 2, waiting.earliest, waiting.latest, refused=(second,))
    assert len(starts_of(waiting, NOW)) == 4
    assert second not in starts_of(again, NOW)
    assert starts_of(waiting, waiting.latest + STEP) == ()


@given(lines)
def test_everybody_has_a_turn_in_the_order_of_the_line(drawn: list[tuple[int, int, int, bool]]) -> None:
    line = line_of(drawn)
    assert [turn.place for turn in turns(line, FLOOR, SETTINGS, NOW)] == line


@given(lines)
def test_only_who_stands_behind_somebody_who_comes_first_is_barred(drawn: list[tuple[int, int, int, bool]]) -> None:
    line = line_of(drawn)
    for index, turn in enumerate(turns(line, FLOOR, SETTINGS, NOW)):
        firsts = [other for other in line[:index] if comes_first(other, SETTINGS, NOW)]
        for start in starts_of(turn.place, NOW):
            # Oracle: could the two sit at one table at the same time?
            clashes = any(
                start + STAY > wished and wished + STAY > start
                for first in firsts
                for wished in starts_of(Waiting(0, 2, first.earliest, first.latest), NOW)
            )
            assert (start in turn.starts) == (not clashes)


def test_coming_first_needs_enough_passes_and_ends() -> None:
    assert not comes_first(place(1, passed=2, first_since=NOW), SETTINGS, NOW)
    assert comes_first(place(1, passed=3, first_since=NOW), SETTINGS, NOW)
    assert not comes_first(place(1, passed=3, first_since=NOW), SETTINGS, NOW + timedelta(seconds=600))


def test_only_those_in_front_who_got_nothing_were_passed_over() -> None:
    line = [place(1), place(2), place(3), place(4)]
    assert passed_over(line, {3: line[2].earliest}, FLOOR) == [1, 2]
    assert passed_over(line, {1: line[0].earliest}, FLOOR) == []
    assert passed_over(line, {}, FLOOR) == []


def test_who_waits_for_quite_other_times_was_not_passed_over() -> None:
    line = [place(1), place(2, start=40)]
    assert passed_over(line, {2: line[1].earliest}, FLOOR) == []


def test_the_second_lapse_is_the_last() -> None:
    assert after_lapse(0, SETTINGS) == "kept"
    assert after_lapse(1, SETTINGS) == "max_lapses"


def test_a_line_is_looked_at_again_while_somebody_waits_and_when_coming_first_ends() -> None:
    assert look_again_at([], SETTINGS, NOW) is None
    assert look_again_at([place(1)], SETTINGS, NOW) == NOW + timedelta(seconds=300)
    since = NOW - timedelta(seconds=500)
    assert look_again_at([place(1), place(2, passed=3, first_since=since)], SETTINGS, NOW) == NOW + timedelta(
        seconds=100
    )
    long_ago = NOW - timedelta(hours=2)
    assert look_again_at([place(1, passed=3, first_since=long_ago)], SETTINGS, NOW) == NOW + timedelta(seconds=300)


FIRST = date(2026, 3, 10)


def pool(*free: int, capacity: int = 4) -> PoolGround:
    """Dates from the 10th on, with so many free."""
    midnight = datetime(2026, 3, 10, tzinfo=UTC)
    return PoolGround(
        PoolDay(
            FIRST + timedelta(days=number),
            midnight + timedelta(days=number),
            midnight + timedelta(days=number + 1),
            capacity,
            left,
        )
        for number, left in enumerate(free)
    )


def wants(number: int, size: int, first: int = 0, last: int = 3, **more: Any) -> Waiting:
    start = datetime(2026, 3, 10, tzinfo=UTC)
    return Waiting(
        number,
        size,
        start + timedelta(days=first),
        start + timedelta(days=last),
        earliest_date=FIRST + timedelta(days=first),
        latest_date=FIRST + timedelta(days=last),
        **more,
    )


def days_of(starts: tuple[datetime, ...]) -> list[int]:
    return [start.day for start in starts]


def test_the_dates_of_a_pool_are_those_of_the_range_that_could_hold_so_many() -> None:
    ground = pool(0, 1, 2, 3)
    assert days_of(ground.starts(wants(1, 2, 1, 2))) == [11, 12]
    assert ground.starts(wants(2, 5)) == ()
    refused = (datetime(2026, 3, 11, tzinfo=UTC),)
    assert days_of(ground.starts(wants(3, 1, 0, 2, refused=refused))) == [10, 12]
    assert days_of(ground.starts(wants(4, 1, 3, 30))) == [13]


def test_a_pool_gives_out_no_more_than_it_had_when_it_was_looked_at() -> None:
    ground = pool(3)
    (start,) = ground.starts(wants(1, 1))
    ground.take(start, 2)
    assert ground.fits(start, 1)
    assert not ground.fits(start, 2)
    ground.seen(start, 4)
    assert not ground.fits(start, 2)
    ground.seen(start, 0)
    assert not ground.fits(start, 1)


def test_who_comes_first_bars_only_the_dates_they_could_be_given() -> None:
    first = wants(1, 4, 0, 1, passed=3, first_since=NOW)
    impossible = wants(2, 5, 0, 3, passed=3, first_since=NOW)
    behind = wants(3, 1, 0, 3)
    found = turns([first, impossible, behind], pool(1, 1, 1, 1), SETTINGS, NOW)
    assert [days_of(turn.starts) for turn in found] == [[10, 11], [], [12, 13]]
    assert found[2].barred


def test_who_turned_a_date_down_is_not_passed_over_when_it_goes_to_the_next() -> None:
    tenth = datetime(2026, 3, 10, tzinfo=UTC)
    line = [wants(1, 1, refused=(tenth,)), wants(2, 4), wants(3, 1)]
    assert passed_over(line, {3: tenth}, pool(1, 0, 0, 0)) == [2]
