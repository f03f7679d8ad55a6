"""The rule that picks a place: similarity, city, region, nearness; a bias is no border."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.demand.match import (
    MatchReason,
    Meant,
    Option,
    city_and_region,
    match_score,
    pick,
    serves_food,
    similarity,
)

RESTAURANT = ("restaurant", "food")
UCHIKO = Meant("Uchiko", "austinfood", 80)


def option(
    name: str = "Uchiko",
    km: float | None = 1.0,
    description: str = "",
    *,
    types: tuple[str, ...] = RESTAURANT,
    id_: str = "",
) -> Option:
    return Option(id_ or name, name, description, types, km)


@pytest.mark.parametrize(
    ("likeness", "city", "region", "km", "score"),
    [
        (0.0, False, False, None, 0.0),
        (0.5, False, False, None, 0.5),
        (0.5, True, False, None, 0.65),
        (0.5, False, True, None, 0.6),
        (0.5, False, False, 0.0, 0.55),
        (0.5, False, False, 5.0, 0.525),
        (0.5, False, False, 10.0, 0.5),
        (0.5, False, False, 500.0, 0.5),
        (0.5, True, True, 0.0, 0.8),
        (0.9, True, True, 0.0, 1.0),
        (1.0, True, True, 0.0, 1.0),
    ],
)
def test_the_score(likeness: float, city: bool, region: bool, km: float | None, score: float) -> None:
    assert match_score(likeness, city=city, region=region, distance_km=km) == pytest.approx(score)


@pytest.mark.parametrize(
    ("key", "description", "city", "region"),
    [
        ("austinfood", "4200 N Lamar Blvd, Austin, TX 78756, USA", True, False),
        ("austinfood", "Dallas, TX, USA", False, False),
        ("portlandme", "Portland, ME, USA", True, True),
        ("portlandme", "Portland, OR, USA", True, False),
        ("austintexas", "Austin, Texas, USA", True, True),
        ("foodlosangeles", "Los Angeles, CA", True, False),
        ("texasfood", "", False, False),
        ("austinfood", ", , ,", False, False),
    ],
)
def test_city_and_region_are_found_in_the_key(key: str, description: str, city: bool, region: bool) -> None:
    assert city_and_region(key, description) == (city, region)


def test_the_best_match_wins_and_the_nearest_among_equals() -> None:
    far, near = option(km=9, id_="far"), option(km=2, id_="near")
    assert pick(UCHIKO, [option("Uchi", 0.1), far, near]).option == near
    # Both are capped at 1, so the distance decides though the farther one names the city.
    close, named = option(km=3, id_="close"), option(km=4, id_="named", description="Austin")
    assert pick(UCHIKO, [named, close]).option == close


def test_the_same_name_in_another_city_is_another_restaurant() -> None:
    verdict = pick(UCHIKO, [option(km=300)])
    assert (verdict.reason, verdict.option) == (MatchReason.TOO_FAR, None)


def test_the_right_city_does_not_make_another_name_match() -> None:
    verdict = pick(UCHIKO, [option("Zzyzx Grill", 0, "Austin, TX")])
    assert (verdict.reason, verdict.option) == (MatchReason.NAME_DIFFERS, None)


def test_a_town_or_a_street_is_no_restaurant() -> None:
    verdict = pick(Meant("Austin", "austinfood", 80), [option("Austin", types=("locality", "political"))])
    assert verdict.reason is MatchReason.NOT_A_RESTAURANT


def test_a_guess_needs_a_place_that_is_really_called_so() -> None:
    offered = [option("Uchi Sushi House")]
    assert pick(Meant("Uchi", "austinfood", 80), offered).option
    assert pick(Meant("Uchi", "austinfood", 80, confirming=True), offered).reason is MatchReason.NAME_DIFFERS
    assert pick(Meant("Uchi House", "austinfood", 80, confirming=True), offered).option


def test_nothing_offered() -> None:
    assert pick(UCHIKO, []).reason is MatchReason.NOTHING_OFFERED


@pytest.mark.parametrize(
    ("types", "yes"),
    [((), True), (("ramen_restaurant",), True), (("bar",), True), (("wine_bar",), True), (("bank",), False)],
)
def test_places_to_eat(types: tuple[str, ...], yes: bool) -> None:
    assert serves_food(types) is yes


OPTIONS = st.lists(
    st.builds(
        Option,
        st.text("abc", min_size=1, max_size=3),
        st.sampled_from(["Uchiko", "Uchi", "Uchiko Austin", "Odd Duck", "店"]),
        st.sampled_from(["", "Austin, TX", "Dallas"]),
        st.sampled_from([(), RESTAURANT, ("bank",)]),
        st.one_of(st.none(), st.floats(0, 400)),
    ),
    max_size=6,
)


@given(OPTIONS, st.booleans())
def test_the_order_of_the_options_does_not_matter(options: list[Option], confirming: bool) -> None:
    meant = Meant("Uchiko", "austinfood", 80, confirming)
    forth, back = pick(meant, options), pick(meant, options[::-1])
    assert (forth.score, forth.reason) == (back.score, back.reason)
    assert (forth.option is None) == (forth.reason is not MatchReason.MATCHED)
    if forth.option:
        assert forth.score >= 0.2
        assert (forth.option.distance_km or 0) <= 80


@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_a_share_and_symmetric(one: str, other: str) -> None:
    assert 0 <= similarity(one, other) == similarity(other, one) <= 1
    assert similarity(one, one) in {0.0, 1.0}
