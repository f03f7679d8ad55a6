"""The rules of demand: every combination, every named reason."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.demand.cooldown import cooldown_until, long_refresh, rest, retry_after, status_after
from dibs.demand.decide import Limits, Sighting, Standing, decide_collection, refuse
from dibs.demand.eta import eta_ms, listed, message, spoken
from dibs.demand.model import (
    Attempt,
    Decision,
    Outcome,
    Pressure,
    Sort,
    SortRun,
    SortStep,
    Status,
    TimeFilter,
)
from dibs.demand.sorts import history_after, plan_sorts, widen

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
LIMITS = Limits()

RESULTS = [0, 24, 25, 400]
WIDTHS = [None, 0.0, 1.69, 1.7, 40.0]
KEYS = [None, "austinfood"]
RUNNING = [False, True]
COOLDOWNS = [None, NOW - DAY, NOW, NOW + timedelta(microseconds=1), NOW + 60 * DAY]
WAITING = [0, 2, 3, 9]
BATCHES = [0, 9, 10, 50]
QUEUED = [0, 4, 5]
ALL = list(product(RESULTS, WIDTHS, KEYS, RUNNING, COOLDOWNS, WAITING, BATCHES, QUEUED))


def expected(
    results: int,
    width: float | None,
    key: str | None,
    running: bool,
    cooldown: datetime | None,
    waiting: int,
    batches: int,
    queued: int,
) -> str:
    """The rule set of the document, as a list of conditions in their order."""
    conditions: Iterable[tuple[bool, str]] = [
        (running, "already_running"),
        (results >= 25, "enough_results"),
        (key is None, "recorded_no_location"),
        (width is not None and width < 1.7, "recorded_small_viewport"),
        (cooldown is not None and cooldown > NOW, "cooldown"),
        (waiting >= 3 or batches >= 10 or queued >= 5, "deferred"),
    ]
    return next((decision for applies, decision in conditions if applies), "queued")


def decided(
    results: int = 0,
    width: float | None = 5.0,
    key: str | None = "austinfood",
    running: bool = False,
    cooldown: datetime | None = None,
    waiting: int = 0,
    batches: int = 0,
    queued: int = 0,
    limits: Limits = LIMITS,
) -> Decision:
    return decide_collection(
        Sighting(results, width, key),
        Standing(running, cooldown),
        Pressure(waiting=waiting, batches=batches),
        queued_by_this_search=queued,
        limits=limits,
        now=NOW,
    )


def test_every_combination_of_conditions() -> None:
    seen: set[str] = set()
    for combination in ALL:
        decision = decided(*combination)
        assert decision == expected(*combination), combination
        seen.add(decision)
    assert seen == {str(decision) for decision in Decision}
    assert len(ALL) == 4 * 5 * 2 * 2 * 5 * 4 * 4 * 3


@pytest.mark.parametrize(
    ("facts", "decision"),
    [
        ({}, Decision.QUEUED),
        ({"width": None}, Decision.QUEUED),
        ({"results": 25}, Decision.ENOUGH_RESULTS),
        ({"key": None}, Decision.RECORDED_NO_LOCATION),
        ({"width": 1.6}, Decision.RECORDED_SMALL_VIEWPORT),
        ({"cooldown": NOW + DAY}, Decision.COOLDOWN),
        ({"waiting": 3}, Decision.DEFERRED),
        ({"batches": 10}, Decision.DEFERRED),
        ({"queued": 5}, Decision.DEFERRED),
        ({"running": True}, Decision.ALREADY_RUNNING),
    ],
)
def test_each_reason_alone(facts: dict[str, object], decision: Decision) -> None:
    assert decided(**facts) is decision  # pyright: ignore[reportArgumentType] -- a table of keyword arguments


def test_limits_come_from_the_configuration() -> None:
    limits = Limits(low_result_threshold=1, min_viewport_miles=10, max_targets=1, max_waiting=1, max_batches=1)
    assert decided(results=1, limits=limits) is Decision.ENOUGH_RESULTS
    assert decided(width=9, limits=limits) is Decision.RECORDED_SMALL_VIEWPORT
    assert decided(width=10, queued=1, limits=limits) is Decision.DEFERRED
    assert decided(width=10, waiting=1, limits=limits) is Decision.DEFERRED
    assert decided(width=10, batches=1, limits=limits) is Decision.DEFERRED


@given(st.integers(0, 50), st.none() | st.floats(0, 50), st.sampled_from(KEYS))
def test_what_the_search_refuses_no_state_can_queue(results: int, width: float | None, key: str | None) -> None:
    refused = refuse(Sighting(results, width, key), LIMITS)
    decision = decided(results, width, key)
    assert decision is (refused or Decision.QUEUED)


# --- cooldowns


@pytest.mark.parametrize(
    ("outcome", "safe", "errors", "rests"),
    [
        (Outcome.SUCCESS, 7, 0, 7 * DAY),
        (Outcome.SUCCESS, 1, 0, DAY),
        (Outcome.SUCCESS, 60, 0, 60 * DAY),
        (Outcome.NO_RESULTS, 7, 0, 60 * DAY),
        (Outcome.NO_RESULTS, 20, 0, 60 * DAY),
        (Outcome.NO_RESULTS, 25, 0, 75 * DAY),
        (Outcome.NO_RESULTS, 60, 0, 180 * DAY),
        (Outcome.ERROR, 60, 1, timedelta(minutes=5)),
        (Outcome.ERROR, 60, 2, timedelta(minutes=10)),
        (Outcome.ERROR, 60, 7, timedelta(minutes=320)),
        (Outcome.ERROR, 60, 8, timedelta(hours=6)),
        (Outcome.ERROR, 60, 10_000, timedelta(hours=6)),
        (Outcome.DEFERRED, 60, 0, timedelta(minutes=5)),
    ],
)
def test_how_long_a_place_rests(outcome: Outcome, safe: float, errors: int, rests: timedelta) -> None:
    assert rest(outcome, safe, errors) == rests
    assert cooldown_until(outcome, safe, errors, NOW) == NOW + rests


@given(st.integers(0, 10_000))
def test_an_error_never_rests_for_days(errors: int) -> None:
    assert timedelta(minutes=5) <= retry_after(errors) <= timedelta(hours=6)


def test_only_an_answer_completes() -> None:
    assert {outcome: status_after(outcome) for outcome in Outcome} == {
        Outcome.SUCCESS: Status.COMPLETED,
        Outcome.NO_RESULTS: Status.COMPLETED,
        Outcome.ERROR: Status.PENDING,
        Outcome.DEFERRED: Status.PENDING,
    }


# --- sorts


def ran(days_ago: float, time_filter: TimeFilter | None = TimeFilter.YEAR) -> SortRun:
    return SortRun(NOW - days_ago * DAY, time_filter)


NEW = SortStep(Sort.NEW)


def slow(time_filter: TimeFilter) -> list[SortStep]:
    return [SortStep(Sort.RELEVANCE, time_filter), SortStep(Sort.TOP, time_filter)]


@pytest.mark.parametrize(
    ("history", "safe", "plan"),
    [
        ({}, 7, [NEW, *slow(TimeFilter.YEAR)]),
        ({}, 60, [NEW, *slow(TimeFilter.YEAR)]),
        ({Sort.RELEVANCE: ran(59.9), Sort.TOP: ran(59.9)}, 7, [NEW]),
        ({Sort.RELEVANCE: ran(60), Sort.TOP: ran(60)}, 7, [NEW, *slow(TimeFilter.MONTH)]),
        ({Sort.RELEVANCE: ran(60), Sort.TOP: ran(60)}, 10, [NEW, *slow(TimeFilter.MONTH)]),
        ({Sort.RELEVANCE: ran(60), Sort.TOP: ran(60)}, 10.1, [NEW, *slow(TimeFilter.YEAR)]),
        ({Sort.RELEVANCE: ran(60), Sort.TOP: ran(60)}, 21, [NEW]),
        ({Sort.RELEVANCE: ran(63), Sort.TOP: ran(63)}, 21, [NEW, *slow(TimeFilter.YEAR)]),
        ({Sort.RELEVANCE: ran(1), Sort.TOP: ran(61)}, 7, [NEW, SortStep(Sort.TOP, TimeFilter.MONTH)]),
        ({Sort.RELEVANCE: ran(1)}, 7, [NEW, SortStep(Sort.TOP, TimeFilter.YEAR)]),
        ({Sort.NEW: ran(0, None), Sort.RELEVANCE: ran(0), Sort.TOP: ran(0)}, 7, [NEW]),
    ],
)
def test_which_sorts_run(history: dict[Sort, SortRun], safe: float, plan: list[SortStep]) -> None:
    assert plan_sorts(history, safe, NOW) == plan


@given(
    st.dictionaries(st.sampled_from(Sort), st.builds(SortRun, st.datetimes(timezones=st.just(UTC)))),
    st.floats(1, 60),
)
def test_new_always_runs_and_no_sort_twice(history: dict[Sort, SortRun], safe: float) -> None:
    plan = plan_sorts(history, safe, NOW)
    assert plan[0] == NEW
    assert len({step.sort for step in plan}) == len(plan)
    for step in plan[1:]:
        last = history.get(step.sort)
        assert last is None or NOW - last.last_run_at >= long_refresh(safe)


@pytest.mark.parametrize(
    ("step", "posts", "wider"),
    [
        (SortStep(Sort.TOP, TimeFilter.MONTH), 19, SortStep(Sort.TOP, TimeFilter.YEAR)),
        (SortStep(Sort.TOP, TimeFilter.MONTH), 0, SortStep(Sort.TOP, TimeFilter.YEAR)),
        (SortStep(Sort.RELEVANCE, TimeFilter.MONTH), 20, None),
        (SortStep(Sort.RELEVANCE, TimeFilter.YEAR), 0, None),
        (NEW, 0, None),
    ],
)
def test_widening(step: SortStep, posts: int, wider: SortStep | None) -> None:
    assert widen(step, posts) == wider


def test_history_keeps_what_was_asked_and_nothing_else() -> None:
    before = {Sort.TOP: ran(90, TimeFilter.YEAR), Sort.RELEVANCE: ran(90, TimeFilter.YEAR)}
    attempted = [
        Attempt("austinfood", Sort.TOP, TimeFilter.MONTH, 3, NOW),
        Attempt("austinfood", Sort.TOP, TimeFilter.YEAR, 40, NOW + timedelta(seconds=2)),
        Attempt("austinfood", Sort.NEW, None, 9, NOW),
    ]
    assert history_after(before, attempted) == {
        Sort.NEW: SortRun(NOW, None),
        Sort.RELEVANCE: before[Sort.RELEVANCE],
        Sort.TOP: SortRun(NOW + timedelta(seconds=2), TimeFilter.YEAR),
    }


def test_a_clock_that_jumped_back_does_not_rewind_the_history() -> None:
    before = {Sort.NEW: ran(0, None)}
    assert history_after(before, [Attempt("a", Sort.NEW, None, 0, NOW - DAY)]) == before


# --- ETA and message


@pytest.mark.parametrize(
    ("backlog", "mean", "eta"),
    [(0, None, 7_200_000), (2, None, 21_600_000), (0, 60_000.0, 60_000), (3, 90_000.4, 360_002)],
)
def test_eta(backlog: int, mean: float | None, eta: int) -> None:
    assert eta_ms(backlog, mean) == eta


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (0, "1 min"),
        (0.1, "1 min"),
        (1, "1 min"),
        (1.2, "2 min"),
        (59, "59 min"),
        (59.5, "about 1 hour"),
        (60, "about 1 hour"),
        (89, "about 1 hour"),
        (90, "about 2 hours"),
        (120, "about 2 hours"),
        (600, "about 10 hours"),
    ],
)
def test_time_as_people_say_it(minutes: float, words: str) -> None:
    assert spoken(round(minutes * 60_000)) == words


@given(st.integers(0, 10**9))
def test_minutes_stay_under_sixty(milliseconds: int) -> None:
    words = spoken(milliseconds)
    number = words.removeprefix("about ").split()[0]
    assert int(number) >= 1
    assert not words.endswith(" min") or int(number) < 60


def test_the_message() -> None:
    assert message(["birria"], 7_200_000) == "We're expanding results for birria. Check back in about 2 hours."
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"]) == "a, b and c"
