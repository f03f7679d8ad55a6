"""What a query means: known names in it, fillers, and what is left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.demand.interpret import is_slip_of, read, spans_of, words_of
from dibs.demand.lexicon import guess_type
from dibs.demand.model import Term
from dibs.places.model import EntityType

KNOWN = dict.fromkeys(["tacos", "breakfast tacos", "franklin barbecue", "patio", "chick fil a", "house of pho"])


@pytest.mark.parametrize(
    ("query", "names", "left"),
    [
        ("Best tacos near me", ["tacos"], []),
        ("breakfast tacos with a patio", ["breakfast tacos", "patio"], []),
        ("FRANKLIN  Barbecue!", ["franklin barbecue"], []),
        ("Chick-fil-A tacos", ["chick fil a", "tacos"], []),
        ("the House of Pho", ["house of pho"], []),
        ("tacos at Uchi Ko", ["tacos"], ["Uchi Ko"]),
        ("Torchy's", [], ["Torchy's"]),
        ("tacos austin", ["tacos"], []),
        ("House of Ramen & Sons", [], ["House of Ramen & Sons"]),
        ("near me", [], []),
        ("???", [], ["???"]),
        ("", [], []),
    ],
)
def test_reading_a_query(query: str, names: list[str], left: list[str]) -> None:
    found, unknown = read(query, KNOWN, "austinfood")
    assert found == names
    assert [term.text for term in unknown] == left


@pytest.mark.parametrize(
    ("term", "kind"),
    [
        ("ramen", EntityType.FOOD),
        ("birria tacos", EntityType.FOOD),
        ("korean fried chicken", EntityType.FOOD),
        ("burritos", EntityType.FOOD),
        ("spicy", EntityType.FOOD_ATTRIBUTE),
        ("gluten free", EntityType.FOOD_ATTRIBUTE),
        ("dog friendly patio", EntityType.RESTAURANT_ATTRIBUTE),
        ("franklin barbecue", EntityType.RESTAURANT),
        ("torchys tacos", EntityType.RESTAURANT),
        ("uchi", EntityType.RESTAURANT),
        ("thai", EntityType.RESTAURANT),
    ],
)
def test_the_kind_of_an_unknown_term(term: str, kind: EntityType) -> None:
    assert guess_type(term) is kind


@pytest.mark.parametrize(
    ("typed", "name", "same"),
    [
        ("frankin barbecue", "franklin barbecue", True),
        ("taco", "tacos", True),
        ("sandwich", "sandwiches", True),
        ("uchi", "uchiko", False),
        ("uchi", "ichi", False),
        ("noodles 79", "noodles 78", False),
        ("golden spoon a", "golden spoon b", False),
        ("franklin", "franklin barbecue", False),
        ("", "", True),
    ],
)
def test_slips(typed: str, name: str, same: bool) -> None:
    assert is_slip_of(typed, name) is same


@given(st.text(max_size=200))
def test_any_text_reads_without_harm(text: str) -> None:
    spans = spans_of(text)
    assert len(spans) <= 32 * 8
    names, unknown = read(text, dict.fromkeys(spans[:3]))
    assert all(isinstance(term, Term) and len(term.text) <= 200 for term in unknown)
    assert set(names) <= set(spans[:3])
    assert len(words_of(text)) <= 32
