"""Which known place is meant, and what has to be watched; pure."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.places.geo import Bounds, Point
from dibs.places.names import key_of
from dibs.wanted.model import Choice, Group, Reason, Watching
from dibs.wanted.rules import MOST_CANDIDATES, Cover, area_of, chosen, cover, days_ahead, match, reaches

AUSTIN = Point(30.2672, -97.7431)
HERE, THERE = area_of([30.1, -97.9, 30.5, -97.5]), area_of([40.691, -74.030, 40.882, -73.910])
KM = 80.0


def group(key: str, *names: str, provider: str = "resy", area: Bounds | None = None) -> Group:
    return Group(provider, key, names, f"group:{provider}:{key}", watch_key="resy:x", area=area)


@pytest.mark.parametrize(
    ("term", "name"),
    [
        ("Uchi", "Uchi"),
        ("uchi", "UCHI"),
        ("torchys tacos", "Torchy's  Tacos"),
        ("Café Noir", "cafe noir"),
        ("Frankln Barbecue", "Franklin Barbecue"),
        ("Taco", "Tacos"),
        ("寿司大", "寿司大"),
    ],
)
def test_one_that_bears_the_name_is_the_one(term: str, name: str) -> None:
    verdict = match([term], [group("1", name), group("2", "Somewhere Else")], AUSTIN, KM)
    assert (verdict.reason, verdict.group and verdict.group.group_key) == (Reason.MATCHED, "1")


def test_the_exact_name_beats_a_slip() -> None:
    verdict = match(["Lucia"], [group("1", "Lucias"), group("2", "Lucia")], None, KM)
    assert verdict.group
    assert verdict.group.group_key == "2"


def test_two_of_one_name_are_for_a_person_to_choose() -> None:
    verdict = match(["Lucia"], [group("1", "Lucia"), group("2", "Lucia", provider="tock")], None, KM)
    assert (verdict.reason, verdict.group) == (Reason.AMBIGUOUS, None)
    assert [(one.provider, one.group_key) for one in verdict.candidates] == [("resy", "1"), ("tock", "2")]


def test_a_name_that_is_only_alike_is_shown_and_not_taken() -> None:
    verdict = match(["Lucia"], [group("1", "Lucia Pizza of Avenue X"), group("2", "Other")], None, KM)
    assert (verdict.reason, verdict.group) == (Reason.AMBIGUOUS, None)
    assert [one.group_key for one in verdict.candidates] == ["1"]


@pytest.mark.parametrize("term", ["Nobody's", "", "  ", "!!!", "834"])
def test_a_name_that_nobody_bears_is_unknown(term: str) -> None:
    verdict = match([term], [group("834", "Carbone"), group("2", "Don Angie")], AUSTIN, KM)
    assert (verdict.reason, verdict.candidates) == (Reason.UNKNOWN, ())


def test_the_same_name_in_another_city_is_another_place() -> None:
    far, near = group("1", "Lucia", area=THERE), group("2", "Lucia", area=HERE)
    assert match(["Lucia"], [far, near], AUSTIN, KM).group == near
    only_far = match(["Lucia"], [far], AUSTIN, KM)
    assert (only_far.reason, only_far.group) == (Reason.ELSEWHERE, None)
    assert [one.group_key for one in only_far.candidates] == ["1"]
    assert match(["Lucia"], [far], None, KM).group == far, "nobody knows where it was looked for"


def test_any_of_the_names_will_do() -> None:
    verdict = match(["Big D", "Dallas Diner"], [group("1", "Blue Door", "Dallas Diner")], None, KM)
    assert verdict.group


def test_a_person_may_name_any_known_place() -> None:
    groups = [group("1", "A"), group("1", "B", provider="tock")]
    assert chosen(Choice("tock", "1"), groups) == groups[1]
    assert chosen(Choice("tock", "2"), groups) is None


def test_an_area_reaches_as_far_as_a_community() -> None:
    assert reaches(HERE, AUSTIN, 0)
    assert reaches(HERE, Point(30.9, -97.7), 50)
    assert not reaches(HERE, Point(30.9, -97.7), 40)
    assert reaches(None, AUSTIN, 0)
    assert reaches(Bounds(Point(10, -170), Point(-10, 170)), AUSTIN, 0), "over the antimeridian nothing is excluded"


NAMES = st.text(st.sampled_from("abcé 'x寿12-"), min_size=1, max_size=14)
GROUPS = st.lists(
    st.builds(
        lambda number, name, place: group(str(number), name, area=place),
        st.integers(0, 30),
        NAMES,
        st.sampled_from([None, HERE, THERE]),
    ),
    max_size=25,
    unique_by=lambda one: one.group_key,
)


@given(NAMES, GROUPS)
def test_what_is_taken_is_the_only_one_that_can_be_meant(term: str, groups: list[Group]) -> None:
    verdict = match([term], groups, AUSTIN, KM)
    near = [one for one in groups if reaches(one.area, AUSTIN, KM)]
    bearing = [one for one in near if key_of(one.names[0]) == key_of(term)]
    known = {one.group_key for one in groups}
    assert (verdict.group is not None) == (verdict.reason is Reason.MATCHED)
    assert len(verdict.candidates) <= MOST_CANDIDATES
    assert {one.group_key for one in verdict.candidates} <= known
    if verdict.group:
        assert verdict.group in near
    if term.strip() and len(bearing) == 1:
        assert verdict.group == bearing[0]
    if term.strip() and len(bearing) > 1:
        assert verdict.reason is Reason.AMBIGUOUS
    if verdict.reason is Reason.UNKNOWN:
        assert bearing == [] or not term.strip()


@given(NAMES, GROUPS, st.randoms(use_true_random=False))
def test_the_order_of_what_is_known_does_not_matter(term: str, groups: list[Group], dice: object) -> None:
    shuffled = list(groups)
    dice.shuffle(shuffled)  # pyright: ignore[reportAttributeAccessIssue] -- hypothesis gives a Random
    one, other = match([term], groups, AUSTIN, KM), match([term], shuffled, AUSTIN, KM)
    assert (one.reason, one.group) == (other.reason, other.group)


def watching(key: str, *, paused: bool = False, ours: bool = False) -> Watching:
    return Watching(key, paused, ours)


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        ([], Cover(("a", "b"))),
        ([watching("x")], Cover()),
        ([watching("x", paused=True)], Cover(("a", "b"))),
        ([watching("a", ours=True)], Cover(("b",))),
        ([watching("a", ours=True), watching("x")], Cover()),
        ([watching("a", ours=True), watching("b", ours=True)], Cover()),
        ([watching("a", paused=True), watching("b", paused=True)], Cover((), "a")),
        ([watching("a", paused=True, ours=True), watching("b", ours=True)], Cover()),
    ],
)
def test_only_what_nobody_looks_at_is_made(there: list[Watching], expected: Cover) -> None:
    assert cover(there, ["a", "b"]) == expected


def test_the_days_begin_today() -> None:
    assert days_ahead(date(2026, 2, 27), 3) == [date(2026, 2, 27), date(2026, 2, 28), date(2026, 3, 1)]
