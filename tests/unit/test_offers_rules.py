"""The rules of the line, pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from dibs.offers.model import Settings, Waiting
from dibs.offers.rules import STEP, after_lapse, comes_first, passed_over, starts_of, turns

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
STAY = timedelta(minutes=95)
SETTINGS = Settings(max_passed=3, first_for_s=600)


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
    assert [turn.place for turn in turns(line, SETTINGS, NOW, STAY)] == line


@given(lines)
def test_only_who_stands_behind_somebody_who_comes_first_is_barred(drawn: list[tuple[int, int, int, bool]]) -> None:
    line = line_of(drawn)
    for index, turn in enumerate(turns(line, SETTINGS, NOW, STAY)):
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
    assert passed_over(line, {3: line[2].earliest}, STAY) == [1, 2]
    assert passed_over(line, {1: line[0].earliest}, STAY) == []
    assert passed_over(line, {}, STAY) == []


def test_who_waits_for_quite_other_times_was_not_passed_over() -> None:
    line = [place(1), place(2, start=40)]
    assert passed_over(line, {2: line[1].earliest}, STAY) == []


def test_the_second_lapse_is_the_last() -> None:
    assert after_lapse(0, SETTINGS) == "kept"
    assert after_lapse(1, SETTINGS) == "max_lapses"
