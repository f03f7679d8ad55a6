"""The floor's document: all problems at once, each with its place."""

from __future__ import annotations

from datetime import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity_harness import floor_document, table
from dibs.capacity.floor_document import read_document
from dibs.capacity.model import DINNER, LUNCH, Policy
from dibs.errors import Invalid


def problems(document: Any) -> set[tuple[str, str]]:
    with pytest.raises(Invalid) as refused:
        read_document(document)
    assert refused.value.code == "invalid_request"
    return {(one["field"], one["problem"]) for one in refused.value.extra["fields"]}


def test_a_good_document() -> None:
    document = read_document(
        floor_document(policy={"turn_minutes": {"2": 50}, "buffer_after_min": 0, "max_tables": 2, "hold_ttl_s": 60})
    )
    assert document.policy == Policy({2: 50}, 0, 0, 60, 2)
    assert document.adjacencies == (("A1", "A2"), ("A2", "A3"))
    assert [one.number for one in document.zones[0].tables] == ["A1", "A2", "A3", "A4"]


def test_periods_left_out_are_lunch_and_dinner() -> None:
    document = floor_document()
    del document["service_periods"]
    assert read_document(document).service_periods == (LUNCH, DINNER)


def test_every_problem_is_told_at_once() -> None:
    found = problems(
        {
            "timezone": "Mars/Olympus",
            "policy": {"max_tables": 9, "turn_minutes": {"two": 60, "4": -1}, "speed": 1},
            "service_periods": [{"name": "night", "start": "25:00", "end": "2"}],
            "zones": [
                {"name": "hall", "tables": [table("A1", 0), table("A1", mobility="flying"), {"number": 7}]},
                {"name": "hall", "tables": "none"},
            ],
            "adjacencies": [["A1", "A9"], ["A1", "A1"], ["A1"]],
            "colour": "blue",
        }
    )
    assert {field for field, _ in found} == {
        "name",
        "timezone",
        "policy.max_tables",
        "policy.turn_minutes.two",
        "policy.turn_minutes.4",
        "policy.speed",
        "service_periods[0].start",
        "service_periods[0].end",
        "zones[0].tables[0].capacity",
        "zones[0].tables[1].mobility",
        "zones[0].tables[2].number",
        "zones[0].tables[2].capacity",
        "zones[0].tables[2].mobility",
        "zones[1].tables",
        "zones",
        "adjacencies[0]",
        "adjacencies[1]",
        "adjacencies[2]",
        "colour",
    }


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("name", ""),
        ("name", 4),
        ("name", "a\x00b"),
        ("timezone", None),
        ("policy", []),
        ("policy", {"buffer_after_min": True}),
        ("policy", {"hold_ttl_s": 29}),
        ("policy", {"turn_minutes": [60]}),
        ("service_periods", []),
        ("service_periods", [{}]),
        ("zones", None),
        ("zones", [7]),
        ("adjacencies", {"A1": "A2"}),
    ],
)
def test_one_bad_value(place: str, value: Any) -> None:
    assert any(field.startswith(place) for field, _ in problems(floor_document(**{place: value})))


@pytest.mark.parametrize(
    "bad",
    [
        {"capacity": 1.5},
        {"capacity": True},
        {"min_party": 0},
        {"min_party": 3, "max_party": 2},
        {"active": "yes"},
        {"x": "left"},
        {"x": float("nan")},
        {"color": "red"},
    ],
)
def test_one_bad_table(bad: dict[str, Any]) -> None:
    document = floor_document(zones=[{"name": "hall", "tables": [{**table("A1"), **bad}]}], adjacencies=[])
    assert all(field.startswith("zones[0].tables[0].") for field, _ in problems(document))


def test_what_was_read_can_be_sent_back() -> None:
    document = floor_document(slug="x", floor_version=3)
    document["zones"][0]["zone_id"] = "…"
    document["zones"][0]["tables"][0] |= {"table_id": "…", "state": "free"}
    assert read_document(document).name == "Blue Door"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(floor_document())), inner),
    max_leaves=10,
)


@given(JSON)
def test_nonsense_is_refused_and_never_breaks(value: Any) -> None:
    problems(value)


@given(st.sampled_from(list(floor_document())), JSON)
def test_a_mangled_document_is_refused_or_good(key: str, value: Any) -> None:
    try:
        document = read_document(floor_document(**{key: value}))
    except Invalid:
        return
    assert document.zones is not None
    assert all(isinstance(period.start, time) for period in document.service_periods)
