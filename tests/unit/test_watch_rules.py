"""The gate, the cadence, the keys and the status: small rules, each by itself."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.config import Cadence, Policy
from dibs.watch.cadence import Activity, Trouble, cooled, interval, next_look
from dibs.watch.dedupe import KeyParts, dedupe_key
from dibs.watch.gate import GateInput, GateVerdict, baseline, judge, remember, repeated
from dibs.watch.model import Suspicion
from dibs.watch.status import Health, status_of

NOW = datetime(2026, 3, 2, 12, 0, 30, tzinfo=UTC)
POLICY = Policy()


def look(found: int, missing: int, newly: int | None = None) -> GateInput:
    return GateInput(found, missing if newly is None else newly, missing, empty=found == 0)


# The gate -------------------------------------------------------------------------------------------


def test_the_baseline_is_the_larger_of_the_last_count_and_the_lower_median():
    assert baseline(()) == 0
    assert baseline((10, 20, 30)) == 30
    assert baseline((30, 20, 10)) == 20
    assert baseline((40, 30, 20, 10)) == 20
    assert remember(tuple(range(16)), 99) == (*range(1, 16), 99)
    assert repeated((5, 4), 2) == (5, 4, 4, 4)
    assert repeated((5, 4), 100) == (4,) * 16
    assert repeated((), 3) == ()


@pytest.mark.parametrize(
    ("count", "missing", "trusted"), [(1000, 99, True), (1000, 100, False), (50, 24, True), (50, 25, False)]
)
def test_a_drop_of_ten_percent_and_at_least_25_is_suspect(count: int, missing: int, trusted: bool):
    verdict = judge((count,), None, look(count - missing, missing), POLICY, NOW)
    assert verdict.trusted is trusted


def test_an_empty_answer_is_suspect_however_small_the_target():
    verdict = judge((1,), None, look(0, 1), POLICY, NOW)
    assert (verdict.trusted, verdict.reason) == (False, "empty_answer")


def test_a_baseline_of_zero_is_always_accepted():
    assert judge((), None, look(0, 0), POLICY, NOW) == GateVerdict(trusted=True)
    assert judge((0, 0), None, look(0, 0), POLICY, NOW).trusted


def test_it_recovers_below_half_the_ratio():
    held = Suspicion(NOW, 1, 900)
    later = NOW + timedelta(seconds=15)
    assert not judge((1000,), held, look(950, 50), POLICY, later).trusted
    recovered = judge((1000,), held, look(951, 49), POLICY, later)
    assert recovered.trusted
    assert recovered.suspicion is None
    assert not recovered.accepted


def test_it_is_accepted_after_enough_samples_over_enough_time():
    suspicion: Suspicion | None = None
    verdicts: list[GateVerdict] = []
    for second in (0, 30, 60, 299, 300):
        verdict = judge((1000,), suspicion, look(500, 500), POLICY, NOW + timedelta(seconds=second))
        suspicion = verdict.suspicion
        verdicts.append(verdict)
    assert [verdict.accepted for verdict in verdicts] == [False, False, False, False, True]


def test_time_alone_does_not_make_it_true():
    first = judge((1000,), None, look(500, 500), POLICY, NOW).suspicion
    assert not judge((1000,), first, look(500, 500), POLICY, NOW + timedelta(hours=1)).accepted


def test_samples_that_disagree_start_anew():
    held = Suspicion(NOW, 2, 500)
    later = NOW + timedelta(seconds=400)
    verdict = judge((1000,), held, look(300, 700), POLICY, later)
    assert not verdict.accepted
    assert verdict.suspicion == Suspicion(later, 1, 300)


# The keys -------------------------------------------------------------------------------------------


def parts(kind: str, status: str = "Open") -> KeyParts:
    return KeyParts(kind, "2026-02-28_20:30", "92025|NB|01234", "abc", status)


def test_the_key_of_a_section_is_a_sha1_over_three_minutes():
    bucket = int(NOW.timestamp()) // 180
    expected = hashlib.sha1(f"92025|NB|01234|Open|{bucket}".encode()).hexdigest()
    assert dedupe_key(parts("soc"), NOW, 1, taken_at=None) == expected


def test_a_later_generation_in_the_same_bucket_gets_its_number():
    bucket = int(NOW.timestamp()) // 180
    expected = hashlib.sha1(f"92025|NB|01234|Open|{bucket}|2".encode()).hexdigest()
    assert dedupe_key(parts("soc"), NOW, 2, taken_at=NOW - timedelta(seconds=20)) == expected


@pytest.mark.parametrize("kind", ["resy", "json"])
def test_the_key_of_other_slots_is_readable(kind: str):
    assert dedupe_key(parts(kind), NOW, 1, taken_at=None) == "2026-02-28_20:30|abc|2026-03-02T12:00"
    assert dedupe_key(parts(kind, "Closed"), NOW, 1, taken_at=None).endswith("T12:00|Closed")
    assert dedupe_key(parts(kind), NOW, 3, taken_at=NOW).endswith("T12:00|3")
    assert dedupe_key(parts(kind), NOW, 3, taken_at=NOW - timedelta(minutes=1)).endswith("T12:00")


# The cadence ----------------------------------------------------------------------------------------

STEADY = Cadence(interval_s=15, jitter=0.3)
ADAPTIVE = Cadence(interval_s=60, jitter=0, adaptive=True, min_interval_s=10, max_interval_s=300)


@given(roll=st.floats(0, 1, exclude_max=True))
def test_jitter_stays_inside_its_bounds(roll: float):
    after = (next_look(STEADY, Activity(), Trouble(), NOW, roll) - NOW).total_seconds()
    assert 10.5 <= after <= 19.5


def test_hot_watches_are_faster_cold_ones_slower_within_bounds():
    today = NOW.date()
    assert interval(ADAPTIVE, Activity(heat=5), today) == 15
    assert interval(ADAPTIVE, Activity(heat=1), today) == 30
    assert interval(ADAPTIVE, Activity(), today) == 60
    assert interval(ADAPTIVE, Activity(quiet_polls=40), today) == 240
    assert interval(ADAPTIVE, Activity(quiet_polls=4000), today) == 300
    near = Activity(heat=5, target_date=today)
    assert interval(ADAPTIVE, near, today) == 10
    assert interval(ADAPTIVE, Activity(target_date=today + timedelta(days=30)), today) == 120


@given(
    heat=st.floats(0, 100),
    quiet=st.integers(0, 10_000),
    days=st.none() | st.integers(-5, 400),
)
def test_adaptive_stays_inside_its_bounds(heat: float, quiet: int, days: int | None):
    target = None if days is None else date(2026, 3, 2) + timedelta(days=days)
    assert 10 <= interval(ADAPTIVE, Activity(heat, quiet, target), date(2026, 3, 2)) <= 300


@given(heat=st.floats(0, 100), quiet=st.integers(0, 10_000), roll=st.floats(0, 1, exclude_max=True))
def test_jitter_does_not_leave_the_bounds_of_adaptive(heat: float, quiet: int, roll: float):
    shaken = Cadence(interval_s=60, jitter=0.9, adaptive=True, min_interval_s=10, max_interval_s=300)
    after = (next_look(shaken, Activity(heat, quiet), Trouble(), NOW, roll) - NOW).total_seconds()
    assert 10 <= after <= 300


def test_heat_cools_down():
    assert cooled(0, 4) == 4
    assert cooled(4, 0) == 2
    assert cooled(0.01, 0) == 0


SLOW = Cadence(interval_s=120, jitter=0)


def test_trouble_slows_down_and_suspicion_probes():
    def after(trouble: Trouble, cadence: Cadence = SLOW) -> float:
        return (next_look(cadence, Activity(), trouble, NOW, 0.5) - NOW).total_seconds()

    assert after(Trouble(suspect=True)) == 30
    assert after(Trouble(suspect=True), Cadence(interval_s=5, jitter=0)) == 5
    assert after(Trouble(failures=1)) == 120
    assert after(Trouble(failures=3), Cadence(interval_s=5, jitter=0)) == 20
    assert after(Trouble(failures=50), Cadence(interval_s=5, jitter=0)) == 60
    assert after(Trouble(failures=1, configuration=True)) == 300
    assert after(Trouble(failures=50, configuration=True)) == 3600
    assert after(Trouble(failures=1, retry_after_s=500)) == 500


# The status -----------------------------------------------------------------------------------------


def health(**changes: object) -> Health:
    values: dict[str, object] = {
        "paused": False,
        "polled": True,
        "outcome": "changed",
        "reason": "because",
        "configuration_fault": False,
        "consecutive_failures": 0,
        "suspect": False,
        "provider_degraded": False,
    }
    return Health(**(values | changes))  # pyright: ignore[reportArgumentType] -- the test's own table


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "healthy"),
        ({"polled": False}, "new"),
        ({"provider_degraded": True}, "degraded"),
        ({"outcome": "partial"}, "degraded"),
        ({"outcome": "failed", "consecutive_failures": 4}, "degraded"),
        ({"outcome": "partial", "suspect": True}, "suspect"),
        ({"consecutive_failures": 5, "suspect": True}, "failing"),
        ({"configuration_fault": True, "suspect": True}, "failing"),
        ({"paused": True, "configuration_fault": True}, "paused"),
    ],
)
def test_the_first_status_that_applies_wins(changes: dict[str, object], expected: str):
    assert status_of(health(**changes))[0] == expected
