"""Turn times, buffers, service periods and the two nights a year on which clocks are not to be trusted."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.capacity.model import DINNER, LUNCH, Policy, ServicePeriod
from dibs.capacity.windows import (
    later_starts,
    local_start,
    period_of,
    require_service,
    service_date,
    sitting,
    turn_minutes,
)
from dibs.errors import Invalid

NEW_YORK = "America/New_York"
# Wall-clock times: the zone is what the test is about.
EARLY, LATE = datetime.fromisoformat("2020-01-01"), datetime.fromisoformat("2030-01-01")
NIGHT = ServicePeriod("night", time(20), time(2))


@pytest.mark.parametrize(
    ("party", "minutes"), [(1, 60), (2, 60), (3, 75), (4, 75), (5, 85), (6, 85), (7, 90), (30, 90)]
)
def test_turn_times(party: int, minutes: int) -> None:
    assert turn_minutes(Policy(), party) == minutes


@pytest.mark.parametrize(
    ("given_bands", "party", "minutes"),
    [
        ({2: 45}, 2, 45),
        ({2: 45}, 3, 75),
        ({8: 120}, 7, 120),
        ({8: 120}, 9, 120),
        ({8: 120}, 5, 85),
        ({2: 90, 4: 120}, 6, 120),
        ({4: 100}, 1, 60),
    ],
)
def test_a_policy_lies_over_the_usual_bands(given_bands: dict[int, int], party: int, minutes: int) -> None:
    assert turn_minutes(Policy(turn_minutes=given_bands), party) == minutes


@given(st.dictionaries(st.integers(1, 12), st.integers(15, 240)), st.integers(1, 40))
def test_every_party_has_a_turn_time(bands: dict[int, int], party: int) -> None:
    assert turn_minutes(Policy(turn_minutes=bands), party) > 0


def test_blocked_window_is_the_dining_window_and_its_buffers() -> None:
    start = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
    made = sitting(Policy(buffer_before_min=10, buffer_after_min=5), "UTC", 4, start)
    assert (made.dining.start_at, made.dining.end_at) == (start, start + timedelta(minutes=75))
    assert made.blocked.start_at == start - timedelta(minutes=10)
    assert made.blocked.end_at == start + timedelta(minutes=80)


def test_a_meal_lasts_as_long_on_the_night_the_clocks_change() -> None:
    start = local_start(date(2026, 11, 1), time(0, 30), NEW_YORK)
    made = sitting(Policy(), NEW_YORK, 2, start)
    assert made.dining.end_at - made.dining.start_at == timedelta(minutes=60)
    assert made.dining.end_at.astimezone(ZoneInfo(NEW_YORK)).time() == time(1, 30)


def test_an_hour_that_never_comes_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        local_start(date(2026, 3, 8), time(2, 30), NEW_YORK)
    assert refused.value.code == "invalid_start"
    assert local_start(date(2026, 3, 8), time(3, 0), NEW_YORK) == datetime(2026, 3, 8, 7, 0, tzinfo=UTC)


def test_of_an_hour_that_comes_twice_the_first_is_meant() -> None:
    assert local_start(date(2026, 11, 1), time(1, 30), NEW_YORK) == datetime(2026, 11, 1, 5, 30, tzinfo=UTC)


@given(
    st.datetimes(EARLY, LATE),
    st.sampled_from([NEW_YORK, "Europe/London", "Asia/Tokyo", "Australia/Lord_Howe"]),
)
def test_a_local_time_comes_back_as_itself_or_is_refused(wall: datetime, zone: str) -> None:
    try:
        instant = local_start(wall.date(), wall.time(), zone)
    except Invalid:
        earlier = (wall - timedelta(hours=2)).replace(tzinfo=ZoneInfo(zone)).utcoffset()
        later = (wall + timedelta(hours=2)).replace(tzinfo=ZoneInfo(zone)).utcoffset()
        assert earlier != later
    else:
        assert instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None) == wall


def test_service_date_is_the_local_date() -> None:
    late = datetime(2026, 3, 3, 1, 0, tzinfo=UTC)
    assert service_date(late, NEW_YORK) == date(2026, 3, 2)
    assert sitting(Policy(), NEW_YORK, 2, late).service_date == date(2026, 3, 2)
    assert sitting(Policy(), NEW_YORK, 2, late, date(2026, 3, 1)).service_date == date(2026, 3, 1)


@pytest.mark.parametrize(
    ("at", "name"), [("12:00", "lunch"), ("14:59", "lunch"), ("17:00", "dinner"), ("21:59", "dinner")]
)
def test_a_party_starts_inside_a_period(at: str, name: str) -> None:
    start = local_start(date(2026, 3, 2), time.fromisoformat(at), NEW_YORK)
    assert require_service((LUNCH, DINNER), start, NEW_YORK).name == name


@pytest.mark.parametrize("at", ["11:59", "15:00", "16:59", "22:00", "03:00"])
def test_outside_of_every_period_there_is_no_service(at: str) -> None:
    start = local_start(date(2026, 3, 2), time.fromisoformat(at), NEW_YORK)
    with pytest.raises(Invalid) as refused:
        require_service((LUNCH, DINNER), start, NEW_YORK)
    assert refused.value.code == "no_service"


def test_a_period_may_run_past_midnight() -> None:
    for at, open_then in [(time(23), True), (time(1, 59), True), (time(2), False), (time(19, 59), False)]:
        start = local_start(date(2026, 5, 2), at, NEW_YORK)
        assert (period_of((NIGHT,), start, NEW_YORK) is NIGHT) is open_then


def test_later_starts_end_with_the_service() -> None:
    start = local_start(date(2026, 3, 2), time(21, 10), NEW_YORK)
    local = [later.astimezone(ZoneInfo(NEW_YORK)).time() for later in later_starts(DINNER, start, NEW_YORK)]
    assert local == [time(21, 25), time(21, 40), time(21, 55)]


def test_later_starts_go_on_past_midnight() -> None:
    start = local_start(date(2026, 5, 2), time(23, 30), NEW_YORK)
    assert len(list(later_starts(NIGHT, start, NEW_YORK))) == 9


def test_a_night_of_25_hours_has_four_more_starts() -> None:
    start = local_start(date(2026, 10, 31), time(23, 30), NEW_YORK)
    assert len(list(later_starts(NIGHT, start, NEW_YORK))) == 13
