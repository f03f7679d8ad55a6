"""The rules of own inventory: what a product may be, what an edge is, when a schedule is due."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.errors import Invalid
from dibs.signals.model import Floor, ProductKey, Tier
from dibs.signals.rules import check_key, check_pattern, check_plan, check_text, edge_of, next_due, tiers_down
from signals_harness import TIERS, pattern, plan

CADENCES = {"1min", "5min"}


def test_a_sound_plan_passes() -> None:
    check_plan(plan(), CADENCES)
    check_plan(plan("tiered", capacity=0), CADENCES)
    check_plan(plan(floor=Floor(restaurant="chez-nous", measure="covers")), CADENCES)
    check_plan(plan(first=date(2026, 3, 1), last=date(2026, 3, 1)), CADENCES)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"timezone": "../etc/passwd"}, "timezone"),
        ({"timezone": ""}, "timezone"),
        ({"capacity": -1}, "capacity"),
        ({"capacity": 1_000_001}, "capacity"),
        ({"range_end": date(2026, 3, 9)}, "range_end"),
        ({"range_end": date(2050, 3, 9)}, "range_end"),
        ({"range_start": date(1, 1, 1), "range_end": date(1, 1, 2)}, "range_start"),
        ({"range_end": date(9999, 12, 31)}, "range_end"),
        ({"floor": Floor(restaurant=" ")}, "floor.restaurant"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused_by_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        check_plan(msgspec.structs.replace(plan(), **change), CADENCES)
    assert caught.value.extra["field"] == field


@pytest.mark.parametrize(
    "tiers",
    [
        [],
        [Tier(id="a", max_percentage=0.5), Tier(id="b", max_percentage=0.5)],
        [Tier(id="a", max_percentage=0.5), Tier(id="b", max_percentage=0.25)],
        [Tier(id="a", max_percentage=0.5), Tier(id="a", max_percentage=1.0)],
        [Tier(id="", max_percentage=1.0)],
        [Tier(id="a", max_percentage=-0.1)],
        [Tier(id="a", max_percentage=1.1)],
        [Tier(id="a", max_percentage=float("nan"))],
        [Tier(id=str(number), max_percentage=number / 100) for number in range(51)],
    ],
    ids=["none", "equal", "falling", "same id", "no id", "negative", "over one", "not a number", "too many"],
)
def test_tiers_out_of_order_are_refused(tiers: list[Tier]) -> None:
    with pytest.raises(Invalid):
        check_pattern(pattern("tiered", tiers=tiers), CADENCES)


def test_a_cadence_without_a_schedule_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(Invalid, match="1min, 5min") as caught:
        check_pattern(pattern(cadence="hourly"), CADENCES)
    assert caught.value.code == "unknown_cadence"


@pytest.mark.parametrize("part", ["", "a::b", ":a", "a:", "a b", "a/b", "a\n", "x" * 101, "a\x00"])
def test_a_key_part_that_could_be_mistaken_is_refused(part: str) -> None:
    with pytest.raises(Invalid, match="activity_id"):
        check_key(ProductKey("c", "t", part, "p"))


@pytest.mark.parametrize("part", ["a", "bcparks:250", "Jõe-ääre", "a.b_c~d@e+f-1", "x" * 100])
def test_a_key_part_may_be_an_ordinary_name(part: str) -> None:
    check_key(ProductKey(part, part, part, part))


def test_different_keys_never_read_the_same() -> None:
    keys = {
        str(ProductKey(*parts)) for parts in [("a:b", "c", "d", "e"), ("a", "b:c", "d", "e"), ("a", "b", "c:d", "e")]
    }
    assert len(keys) == 3


@pytest.mark.parametrize("text", ["", "  ", "a\tb", "\x7f", "x" * 201])
def test_a_text_that_cannot_be_shown_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        check_text("reference", text)


def test_tiers_are_handed_down_from_the_highest_with_negated_bounds() -> None:
    assert tiers_down(pattern("tiered", tiers=TIERS)) == (["high", "medium", "low", "full"], [-1.0, -0.75, -0.25, -0.0])
    assert tiers_down(pattern()) == (None, None)


@pytest.mark.parametrize(
    ("before", "after", "edge"),
    [(0, 1, "Open"), (0, 900, "Open"), (1, 0, "Closed"), (5, 0, "Closed"), (0, 0, None), (1, 2, None), (2, 1, None)],
)
def test_an_edge_is_from_nothing_or_to_nothing(before: int, after: int, edge: str | None) -> None:
    assert edge_of(before, after) == edge


DUE = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("late_s", "next_s"), [(0, 60), (1, 60), (59.999, 60), (60, 120), (61, 120), (3600, 3660), (-5, 60)]
)
def test_a_schedule_keeps_its_rhythm_and_runs_a_missed_tick_once(late_s: float, next_s: float) -> None:
    assert next_due(DUE, 60, DUE + timedelta(seconds=late_s)) == DUE + timedelta(seconds=next_s)


@given(
    interval=st.floats(min_value=0.001, max_value=1e6, allow_nan=False),
    late=st.floats(min_value=0, max_value=1e8, allow_nan=False),
)
def test_the_next_tick_is_ahead_and_within_reach(interval: float, late: float) -> None:
    now = DUE + timedelta(seconds=late)
    following = next_due(DUE, interval, now)
    assert now < following <= now + timedelta(seconds=2 * interval + 0.001)
