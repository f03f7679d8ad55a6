"""Delivery windows: by the wall clock, across midnight and over clock changes, to the minute."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dibs.errors import Invalid
from dibs.notify.model import Window
from dibs.notify.windows import is_inside, opens_at, zone

NEW_YORK = "America/New_York"
ZONES = (NEW_YORK, "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca", "UTC")
# Days around which clocks change in those zones.
CHANGES = [
    datetime.fromisoformat(day).replace(tzinfo=UTC)
    for day in ("2026-02-14", "2026-03-07", "2026-03-28", "2026-10-03", "2026-10-24", "2026-10-31")
]


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def window(start: str, end: str, timezone: str = NEW_YORK) -> Window:
    return Window(time.fromisoformat(start), time.fromisoformat(end), timezone)


def test_the_start_belongs_to_the_window_and_the_end_does_not() -> None:
    day = window("08:00", "22:00")
    assert not is_inside(day, utc("2026-01-15T12:59:59"))
    assert is_inside(day, utc("2026-01-15T13:00:00"))
    assert is_inside(day, utc("2026-01-16T02:59:59"))
    assert not is_inside(day, utc("2026-01-16T03:00:00"))


def test_a_window_across_midnight_is_open_on_both_sides_of_it() -> None:
    night = window("20:00", "02:00")
    assert is_inside(night, utc("2026-01-15T04:30:00"))
    assert is_inside(night, utc("2026-01-15T06:59:00"))
    assert not is_inside(night, utc("2026-01-15T07:00:00"))
    assert opens_at(night, utc("2026-01-15T07:00:00")) == utc("2026-01-16T01:00:00")


def test_equal_ends_mean_the_whole_day() -> None:
    always = window("08:00", "08:00")
    assert all(is_inside(always, utc("2026-01-15T00:00:00") + timedelta(hours=hour)) for hour in range(24))


def test_the_next_opening_keeps_no_seconds_of_the_asking() -> None:
    asked = utc("2026-01-15T05:12:34") + timedelta(microseconds=987_654)
    assert opens_at(window("08:00", "22:00"), asked) == utc("2026-01-15T13:00:00")


@pytest.mark.parametrize(
    ("asked", "opens"),
    [
        # The night before spring forward: 08:00 EDT comes an hour earlier in UTC than 08:00 EST.
        ("2026-03-07T23:30:00-05:00", "2026-03-08T08:00:00-04:00"),
        ("2026-03-06T23:30:00-05:00", "2026-03-07T08:00:00-05:00"),
        # The night before fall back.
        ("2026-10-31T23:30:00-04:00", "2026-11-01T08:00:00-05:00"),
        ("2026-10-30T23:30:00-04:00", "2026-10-31T08:00:00-04:00"),
    ],
)
def test_quiet_hours_over_a_clock_change_end_by_the_wall_clock(asked: str, opens: str) -> None:
    assert opens_at(window("08:00", "22:00"), datetime.fromisoformat(asked)) == datetime.fromisoformat(opens)


def test_a_start_that_the_clock_skips_opens_when_the_clock_has_jumped() -> None:
    skipped = window("02:30", "05:00")
    assert opens_at(skipped, utc("2026-03-08T05:00:00")) == utc("2026-03-08T07:00:00")


def test_an_hour_that_comes_twice_is_in_the_window_twice() -> None:
    early = window("01:00", "01:30")
    assert opens_at(early, utc("2026-11-01T04:00:00")) == utc("2026-11-01T05:00:00")
    assert opens_at(early, utc("2026-11-01T05:30:00")) == utc("2026-11-01T06:00:00")


def test_a_clock_that_goes_back_can_land_in_the_middle_of_a_window() -> None:
    assert opens_at(window("00:30", "01:30"), utc("2026-11-01T05:45:00")) == utc("2026-11-01T06:00:00")


def by_the_minute(spec: Window, moment: datetime) -> datetime:
    """The oracle: walk minute by minute."""
    if is_inside(spec, moment):
        return moment
    at = moment.replace(second=0, microsecond=0)
    while not (at >= moment and is_inside(spec, at)):
        at += timedelta(minutes=1)
    return at


minutes = st.builds(time, st.integers(0, 23), st.integers(0, 59))
moments = st.builds(
    lambda day, seconds: day + timedelta(seconds=seconds),
    st.sampled_from(CHANGES),
    st.integers(0, 3 * 1440).map(lambda minute: minute * 60) | st.integers(0, 3 * 86_400),
)


@settings(max_examples=150, deadline=None)
@given(st.builds(Window, minutes, minutes, st.sampled_from(ZONES)), moments)
def test_the_next_opening_is_the_first_minute_that_is_inside(spec: Window, moment: datetime) -> None:
    assert opens_at(spec, moment) == by_the_minute(spec, moment)


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "a" * 300, "New York\x00"])
def test_an_unknown_zone_is_named(name: str) -> None:
    with pytest.raises(Invalid, match="time zone"):
        zone(name)
