"""Names: which spellings are one."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.places.activity import posts_per_day, safe_interval_days
from dibs.places.names import key_of, tidy

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Torchy's Tacos", "torchys  TACOS"),
        ("Torchy’s", "torchy's"),
        ("Café Nö Sé", "cafe no se"),
        ("CHICK-FIL-A", "Chick fil A"),
        ("Straße", "STRASSE"),
        ("Ｕｃｈｉ", "uchi"),
        ("Smørrebrød", "smorrebrod"),
    ],
)
def test_spellings_of_one_name(a: str, b: str) -> None:
    assert key_of(a) == key_of(b)


@pytest.mark.parametrize(
    ("a", "b"), [("Pho 79", "Pho 97"), ("が", "か"), ("한국", "항국"), ("$$", "!!"), ("uchi", "uchiko")]
)
def test_names_that_stay_apart(a: str, b: str) -> None:
    assert key_of(a) != key_of(b)


@given(st.text(max_size=60))
def test_a_key_is_stable_and_blind_to_case(name: str) -> None:
    assert key_of(key_of(name)) == key_of(name)
    assert key_of(f"  {name}\t") == key_of(name)
    assert key_of(name) or not tidy(name)


@given(st.text("abcdefghijklmnopqrstuvwxyzäöüéñ '-0123456789", max_size=40))
def test_upper_and_lower_are_one(name: str) -> None:
    assert key_of(name.upper()) == key_of(name.lower())


@pytest.mark.parametrize(
    ("rate", "days"),
    [(None, 1), (0, 60), (1, 60), (12.5, 60), (25, 30), (75, 10), (107.15, 7), (10_000, 7), (750 / 7, 7)],
)
def test_safe_interval(rate: float | None, days: float) -> None:
    assert safe_interval_days(rate) == pytest.approx(days, abs=0.01)


@given(st.floats(0.001, 1e9))
def test_a_sampled_safe_interval_stays_in_its_range(rate: float) -> None:
    assert 7 <= safe_interval_days(rate) <= 60


@pytest.mark.parametrize(
    ("count", "every", "rate"),
    [
        (0, timedelta(days=1), 0),
        (30, timedelta(hours=23), 1),
        (1500, timedelta(minutes=14.4), 100),
        (1000, timedelta(hours=1), 720 / 30),
        (90, timedelta(days=1), 1),
    ],
)
def test_posts_per_day_from_a_sample(count: int, every: timedelta, rate: float) -> None:
    posted = [NOW - every * (n + 1) for n in range(count)]
    assert posts_per_day(posted, NOW) == pytest.approx(rate, rel=0.05)


def test_posts_of_the_future_and_of_long_ago_do_not_count() -> None:
    assert posts_per_day([NOW + timedelta(hours=1), NOW - timedelta(days=31)], NOW) == 0


def test_a_thousand_posts_within_a_second_are_a_large_number_and_no_crash() -> None:
    assert posts_per_day([NOW] * 1000, NOW) == 24_000
