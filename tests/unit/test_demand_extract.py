"""The extractor: known names, boundaries, folding, candidates, and linear cost on hostile texts."""

import unicodedata
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.demand.extract import MAX_PER_TEXT, NOTHING, DeterministicExtractor, Finding, load_extractor
from dibs.demand.extract.candidates import MAX_CANDIDATES_PER_TEXT, find_candidates
from dibs.demand.extract.fold import SEPARATOR, collapse, fold
from dibs.demand.extract.spelling import needs_its_own_case, spellings
from dibs.errors import CannotStart
from dibs.places.model import EntityType, KnownName

Names = tuple[str, ...]


def ident(name: str) -> int:
    return crc32(name.encode("utf-8", "surrogatepass"))


def extract(*texts: str, restaurants: Names = (), foods: Names = (), term: str = "") -> list[Finding]:
    known = [KnownName(ident(name), EntityType.RESTAURANT, name) for name in restaurants]
    known += [KnownName(ident(name), EntityType.FOOD, name) for name in foods]
    extractor = DeterministicExtractor()
    return extractor.extract(texts, extractor.prepare(known), term)


def found(text: str, *names: str) -> bool:
    return extract(text, restaurants=names)[0].restaurants == tuple(ident(name) for name in names)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Uchiko", "we love uchiko a lot"),
        ("Uchiko", "UCHIKO!"),
        ("Uchiko", "(uchiko)"),
        ("Uchiko", "**Uchiko**"),
        ("Uchiko", "Uchiko's menu is great"),
        ("Uchiko", "Uchiko’s menu is great"),
        ("Torchy's Tacos", "torchys tacos"),
        ("Torchy's Tacos", "Torchy’s Tacos, again"),
        ("Café Crème", "cafe creme"),
        ("Cafe Creme", "Café Crème"),
        ("Café Crème", unicodedata.normalize("NFD", "at Café Crème")),
        ("Smørrebrød Hus", "the smorrebrod hus"),
        ("Salt & Lime", "salt and lime"),
        ("Salt & Lime", "Salt & Lime"),
        ("Salt and Lime", "Salt & Lime"),
        ("Tatsu-Ya", "tatsu ya"),
        ("Tatsu-Ya", "tatsuya"),
        ("Tatsu-Ya", "Tatsu-ya"),
        ("St. Elmo", "st elmo"),
        ("St. Elmo", "St. Elmo"),
        ("The Salty Donut", "went to salty donut"),
        ("すきやばし", "best: すきやばし ."),
        ("Чайхана", "чайхана"),
    ],
)
def test_a_name_is_found_however_it_is_written(name: str, text: str) -> None:
    assert found(text, name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Uchi", "uchiko"),
        ("Uchi", "kauchi"),
        ("Ramen Bar", "We had ramen. Bar was closed"),
        ("Ramen Bar", "ramen, bar"),
        ("Home", "at home we cook"),
        ("Via", "came via train"),
        ("Via", "Viable"),
    ],
)
def test_a_part_of_a_word_or_an_everyday_word_is_not_the_name(name: str, text: str) -> None:
    assert not extract(text, restaurants=(name,))[0].restaurants


@pytest.mark.parametrize(("name", "text"), [("Home", "We ate at Home."), ("Via", "Via, downtown")])
def test_an_everyday_word_written_as_the_name_is_the_name(name: str, text: str) -> None:
    assert needs_its_own_case(name)
    assert found(text, name)
    assert found(text, name.lower())


def test_the_longest_of_overlapping_names_is_meant() -> None:
    [finding] = extract("Ramen Tatsu Ya rules", restaurants=("Ramen Tatsu Ya", "Tatsu"), foods=("ramen",))
    assert finding.restaurants == (ident("Ramen Tatsu Ya"),)
    assert finding.others == ()


def test_neighbours_that_share_a_space_are_both_found() -> None:
    [finding] = extract("uchiko franklin", restaurants=("Uchiko", "Franklin"))
    assert finding.restaurants == (ident("Uchiko"), ident("Franklin"))


def test_links_join_every_restaurant_with_every_food_of_the_same_text() -> None:
    first, second = extract(
        "Uchiko and Franklin for brisket",
        "just pho",
        restaurants=("Uchiko", "Franklin"),
        foods=("brisket", "pho"),
    )
    assert set(first.links()) == {
        (ident("Uchiko"), ident("brisket")),
        (ident("Franklin"), ident("brisket")),
    }
    assert second.links() == []
    assert second.others == (ident("pho"),)


def test_foods_are_found_in_singular_and_plural() -> None:
    singular, plural, berries = extract("one taco", "two tacos", "berries", foods=("taco", "berry"))
    assert singular.others == plural.others == (ident("taco"),)
    assert berries.others == (ident("berry"),)
    assert extract("one taco", foods=("tacos",))[0].others == (ident("tacos"),)


def test_one_spelling_may_mean_two_things() -> None:
    [finding] = extract("such good Brisketeria", restaurants=("Brisketeria",), foods=("brisketeria",))
    assert finding.restaurants == (ident("Brisketeria"),)
    assert finding.others == (ident("brisketeria"),)


def test_the_requested_term_is_marked_though_unknown() -> None:
    yes, no, plural = extract("the birria here", "just tacos", "BIRRIAS!", term="birria")
    assert (yes.has_term, no.has_term, plural.has_term) == (True, False, True)


def test_texts_keep_their_places_when_one_carries_the_separator() -> None:
    names = ("Uchiko", "Franklin")
    first, second, third = extract(f"a {SEPARATOR} uchiko", "nothing", "franklin", restaurants=names)
    assert first.restaurants == (ident("Uchiko"),)
    assert second is NOTHING
    assert third.restaurants == (ident("Franklin"),)


def test_no_texts_no_names() -> None:
    assert extract() == []
    assert extract("", "   ") == [NOTHING, NOTHING]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We went to Ramen Tatsu-Ya last week", ["Ramen Tatsu-Ya"]),
        ("try Salt & Lime", ["Salt & Lime"]),
        ("Try Franklin Barbecue!", ["Franklin Barbecue"]),
        ("Uchiko", ["Uchiko"]),
        ("**Uchiko**!", ["Uchiko"]),
        ("my list:\n- Uchiko\n- Suerte - best masa\n1. Odd Duck", ["Uchiko", "Suerte", "Odd Duck"]),
        ("Dinner at Café Nō was fine", ["Café Nō"]),
        ("check out Épicerie", ["Épicerie"]),
        ("I like Uchi and Uchiko", ["Uchi and Uchiko", "Uchi", "Uchiko"]),
        ("Went to Franklin on Monday", ["Franklin"]),
        ("Dinner at Franklin Monday was ok", ["Franklin"]),
        ("lunch at Black Station BBQ", ["Black Station BBQ"]),
        ("lunch at Thai Spice", ["Thai Spice"]),
        ("But South Congress Cafe", ["South Congress Cafe"]),
        ("on the way to Texas from Monday to Friday", []),
        ("at home, to eat, for lunch", []),
        ("at 5", []),
        ("Yes", []),
    ],
)
def test_candidates(text: str, names: list[str]) -> None:
    assert sorted(find_candidates([text], frozenset()).get(0, ())) == sorted(names)


def test_a_known_restaurant_is_no_candidate() -> None:
    [finding] = extract("we ate at Torchy’s Tacos and at Suerte", restaurants=("Torchy's Tacos",))
    assert "Suerte" in finding.candidates
    assert "Torchy’s Tacos" not in finding.candidates


def test_candidates_belong_to_their_own_text() -> None:
    texts = ["nothing here", "dinner at Suerte", "", "lunch at Odd Duck"]
    assert find_candidates(texts, frozenset()) == {1: ("Suerte",), 3: ("Odd Duck",)}


WORDS = st.sampled_from(
    [
        "uchi",
        "uchiko",
        "Ramen",
        "tatsu",
        "ya",
        "taco",
        "the",
        "é",
        ",",
        ".",
        "\n",
        "  ",
        "'",
        "ß",
        SEPARATOR,
        "店",
    ]
)


@given(st.lists(st.one_of(st.text(max_size=40), st.lists(WORDS, max_size=15).map(" ".join)), max_size=12))
def test_a_batch_finds_what_each_text_alone_finds(texts: list[str]) -> None:
    names = ("Uchi", "Uchiko", "Ramen Tatsu Ya", "Tatsu", "店店")
    together = extract(*texts, restaurants=names, foods=("ramen", "taco"), term="ya")
    alone = [extract(text, restaurants=names, foods=("ramen", "taco"), term="ya")[0] for text in texts]
    assert together == alone


@given(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), st.lists(WORDS, max_size=20).map(" ".join))
def test_a_name_is_found_exactly_where_its_words_stand(name: str, text: str) -> None:
    whole = f" {fold(text.replace(SEPARATOR, ' '))} "
    stands = any(f" {form} " in whole for form in spellings(name, food=True))
    assert bool(extract(text, foods=(name,))[0].others) == stands


@given(st.text())
def test_folding_is_stable(text: str) -> None:
    once = fold(text)
    assert fold(once) == once
    assert "'" not in once


@given(st.text(min_size=1, max_size=40))
def test_every_name_with_two_letters_finds_itself(name: str) -> None:
    if spellings(name) and SEPARATOR not in name:
        assert extract(f"so, {name} then", foods=(name,))[0].others == (ident(name),)


@given(st.text(alphabet="Aa& y-'\n*", max_size=400))
def test_any_text_gives_few_candidates(text: str) -> None:
    names = find_candidates([text], frozenset()).get(0, ())
    assert len(names) <= MAX_CANDIDATES_PER_TEXT
    assert all(collapse(name) for name in names)


def test_a_text_made_of_names_is_capped() -> None:
    names = tuple(f"Place{number}x" for number in range(500))
    foods = tuple(f"food{number}x" for number in range(500))
    [finding] = extract(" ".join(names + foods), restaurants=names, foods=foods)
    assert len(finding.restaurants) == MAX_PER_TEXT
    assert len(finding.others) == MAX_PER_TEXT


HOSTILE = [
    "uchi ",
    "A",
    "Aa ",
    "at A",
    "at Aa ",
    "A and A ",
    "A-A-",
    "**A",
    "\n- A",
    "via ",
    "é",
    "’",
    "店 ",
    "😋",
    " ",
    "\n1. ",
    "A & A",
    "at A'",
    "ab店",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_text_costs_what_its_length_costs(unit: str) -> None:
    # Half a megabyte of one unit: a quadratic step anywhere would run into the test's time limit.
    text = unit * (500_000 // len(unit))
    [finding] = extract(text, restaurants=("Uchi", "Via", "Aa Aa Aa", "A A A A"), foods=("é", "店", "aa"))
    assert len(finding.candidates) <= MAX_CANDIDATES_PER_TEXT


def test_many_everyday_words_in_one_long_text_stay_linear() -> None:
    shorts = [a + b + c for a in "BCDFGH" for b in "aeiou" for c in "lmnprst"]
    text = f"{' '.join(shorts).lower()} " * 500
    assert extract(text, restaurants=tuple(shorts))[0].restaurants == ()


def test_another_extractor_is_plugged_in_by_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "shouting-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[dibs.extractors]\nshouting = shouting_extractor:Shouting\n")
    (tmp_path / "shouting_extractor.py").write_text(
        "from dibs.demand.extract import DeterministicExtractor, Finding\n"
        "class Shouting(DeterministicExtractor):\n"
        "    def extract(self, texts, vocabulary, term=''):\n"
        "        return [Finding(has_term=text.isupper()) for text in texts]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    plugged = load_extractor("shouting")
    assert [one.has_term for one in plugged.extract(["HEY", "hey"], plugged.prepare([]))] == [True, False]


def test_an_extractor_is_found_by_name() -> None:
    assert isinstance(load_extractor(), DeterministicExtractor)
    with pytest.raises(CannotStart, match="no extractor is called 'unheard'"):
        load_extractor("unheard")
