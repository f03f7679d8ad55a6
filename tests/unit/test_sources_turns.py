"""The rule of turns: never faster than the service asks, whoever asks."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.sources.http import Response
from dibs.sources.model import Failure, Fault, Validators
from dibs.sources.turn_rule import Manners, Refusal, Standing, Turn, take_turn
from dibs.sources.turns import LIMITED_PAUSE_S, LONGEST_PAUSE_S, pause_after

NOW = datetime(2026, 3, 2, 23, 0, tzinfo=UTC)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
FRESH = Standing(LONG_AGO, LONG_AGO, LONG_AGO, None, "", None, 0, NOW)


def after(standing: Standing, turn: Turn, now: datetime) -> Standing:
    return replace(
        standing,
        next_at=turn.next_at,
        next_search_at=turn.next_search_at,
        full_at=turn.full_at,
        quota_day=turn.quota_day,
        quota_used=turn.quota_used,
        now=now,
    )


@given(
    st.lists(st.tuples(st.floats(0, 5), st.booleans()), min_size=1, max_size=80),
    st.integers(1, 200),
    st.integers(1, 20),
    st.floats(0, 2),
    st.floats(0, 3),
)
def test_no_sequence_of_askers_is_faster_than_the_manners(
    askers: list[tuple[float, bool]], per_minute: int, burst: int, gap: float, search_gap: float
) -> None:
    manners = Manners(per_minute, burst, gap, search_gap, longest_wait_s=1e9)
    standing, now = FRESH, NOW
    sent: list[tuple[datetime, bool]] = []
    for pause, search in askers:
        now += timedelta(seconds=pause)
        turn = take_turn(replace(standing, now=now), manners, search=search)
        assert isinstance(turn, Turn)
        sent.append((now + timedelta(seconds=turn.wait_s), search))
        standing = after(standing, turn, now)
    hair = timedelta(microseconds=len(sent) * 2)
    moments = [at for at, _ in sent]
    assert all(b - a >= timedelta(seconds=gap) - hair for a, b in pairwise(moments))
    searches = [at for at, search in sent if search]
    assert all(b - a >= timedelta(seconds=search_gap) - hair for a, b in pairwise(searches))
    step = timedelta(minutes=1) / per_minute
    for first in range(len(moments)):
        for last in range(first + burst, len(moments)):
            assert moments[last] - moments[first] >= step * (last - first - burst + 1) - hair


def test_a_first_request_waits_for_nothing() -> None:
    turn = take_turn(FRESH, Manners(100, 10, 0.1, 1.2), search=True)
    assert isinstance(turn, Turn)
    assert turn.wait_s == 0


def test_a_pause_is_waited_for_when_short_and_refused_when_long() -> None:
    short = replace(FRESH, paused_until=NOW + timedelta(seconds=5), pause_reason="http_429")
    turn = take_turn(short, Manners(), search=False)
    assert isinstance(turn, Turn)
    assert turn.wait_s == 5
    long = replace(short, paused_until=NOW + timedelta(minutes=9))
    assert take_turn(long, Manners(), search=False) == Refusal("http_429", 540)


def test_the_quota_is_per_day() -> None:
    manners = Manners(daily_quota=3)
    spent = replace(FRESH, quota_day=NOW.date(), quota_used=3)
    assert take_turn(spent, manners, search=False) == Refusal("daily_quota", 3600)
    tomorrow = take_turn(replace(spent, now=NOW + timedelta(hours=1)), manners, search=False)
    assert isinstance(tomorrow, Turn)
    assert tomorrow.quota_used == 1


def answered(**headers: str) -> Response:
    named = {f"X-Ratelimit-{name.title()}": value for name, value in headers.items()}
    return Response(200, b"", Validators(), headers=named)


@pytest.mark.parametrize(
    ("answer", "pause"),
    [
        (answered(remaining="98.0", reset="300"), None),
        (answered(remaining="0.0", reset="42.5"), (42.5, "ratelimit_used_up")),
        (answered(remaining="0"), (LIMITED_PAUSE_S, "ratelimit_used_up")),
        (answered(remaining="nonsense", reset="x"), None),
        (answered(remaining="nan", reset="inf"), None),
        (answered(remaining="0", reset="1e12"), (LONGEST_PAUSE_S, "ratelimit_used_up")),
        (Failure(Fault.LIMITED, "http_429", 429, 12.0), (12.0, "http_429")),
        (Failure(Fault.LIMITED, "http_429", 429), (LIMITED_PAUSE_S, "http_429")),
        (Failure(Fault.LIMITED, "http_429", 429, headers={"X-Ratelimit-Reset": "7"}), (7.0, "http_429")),
        (Failure(Fault.TRANSIENT, "http_500", 500), (2.0, "http_500")),
        (Failure(Fault.CONFIGURATION, "http_404", 404), None),
    ],
)
def test_what_an_answer_says_about_the_pace(answer: Response | Failure, pause: tuple[float, str] | None) -> None:
    assert pause_after(answer) == pause
