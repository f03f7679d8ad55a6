"""The built-in extractor: one Aho-Corasick pass over a whole batch of texts.

Word boundaries are part of the patterns (" uchi "), so a hit inside a longer word never leaves the
automaton; the end of a text is a pattern too, so the pass itself says which text a hit belongs to.
"""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, cast

import ahocorasick

from dibs.demand.extract.candidates import find_candidates
from dibs.demand.extract.fold import SEPARATOR, collapse, fold
from dibs.demand.extract.model import MAX_PER_TEXT, NOTHING, Finding, Vocabulary
from dibs.demand.extract.spelling import needs_its_own_case, spellings
from dibs.places.model import EntityType, KnownName

_JOINT = f" {SEPARATOR} "

# (entity, is a restaurant, the spelling it must have in the text or None)
_Meaning: TypeAlias = tuple[int, bool, str | None]
# (length of the pattern, its meanings); None for the end of a text
_Value: TypeAlias = tuple[int, tuple[_Meaning, ...]]
_Hit: TypeAlias = tuple[int, _Value]


class NamesVocabulary:
    """Known names as one automaton. Read-only once built, so threads may share it."""

    def __init__(self, known: Sequence[KnownName]) -> None:
        meanings: dict[str, dict[int, _Meaning]] = {}
        restaurants: set[str] = set()
        for one in known:
            restaurant = one.type == EntityType.RESTAURANT
            exact = _own_case(one.name) if restaurant and needs_its_own_case(one.name) else None
            forms = spellings(one.name, food=not restaurant)
            if restaurant:
                # As written too: most mentions are, and then need no folding to be known.
                restaurants.update(forms, (one.name,))
            for form in forms:
                meanings.setdefault(form, {}).setdefault(one.entity_id, (one.entity_id, restaurant, exact))
        self.restaurants = frozenset(restaurants)
        self.automaton: Any = _automaton(meanings)

    def knows_restaurant(self, name: str) -> bool:
        return collapse(name) in self.restaurants


def _own_case(name: str) -> str:
    """How the name must stand in a text; one that was stored without capitals is written with them."""
    return name.strip().title() if name.islower() else name.strip()


def _automaton(meanings: dict[str, dict[int, _Meaning]]) -> Any:
    automaton = ahocorasick.Automaton()
    automaton.add_word(SEPARATOR, None)
    for form, found in meanings.items():
        automaton.add_word(f" {form} ", (len(form) + 1, tuple(found.values())))
    automaton.make_automaton()
    return automaton


class DeterministicExtractor:
    def prepare(self, known: Sequence[KnownName]) -> NamesVocabulary:
        return NamesVocabulary(known)

    def extract(self, texts: Sequence[str], vocabulary: Vocabulary, term: str = "") -> list[Finding]:
        if not texts:
            return []
        names = cast("NamesVocabulary", vocabulary)
        joined = _JOINT.join(texts)
        if joined.count(SEPARATOR) != len(texts) - 1:
            joined = _JOINT.join([text.replace(SEPARATOR, " ") for text in texts])
        folded = f" {fold(joined)} {SEPARATOR}"
        findings = _match(folded, texts, names)
        if term:
            _mark_term(folded, spellings(term), findings)
        for row, candidates in find_candidates(texts, names.restaurants).items():
            found = findings[row]
            findings[row] = Finding(found.restaurants, found.others, candidates, found.has_term)
        return findings


def _match(folded: str, texts: Sequence[str], names: NamesVocabulary) -> list[Finding]:
    findings: list[Finding] = []
    hits: list[_Hit] = []
    found = cast("Iterator[tuple[int, _Value | None]]", names.automaton.iter(folded))
    for hit in found:
        if hit[1] is not None:
            hits.append(cast("_Hit", hit))
        elif hits:
            findings.append(_finding(hits, texts[len(findings)]))
            hits = []
        else:
            findings.append(NOTHING)
    return findings


def _finding(hits: list[_Hit], text: str) -> Finding:
    restaurants: dict[int, None] = {}
    others: dict[int, None] = {}
    refused: set[int] = set()
    for _, (_, meanings) in hits if len(hits) == 1 else _longest(hits):
        for entity_id, restaurant, exact in meanings:
            bucket = restaurants if restaurant else others
            if exact is None:
                if len(bucket) < MAX_PER_TEXT:
                    bucket[entity_id] = None
            elif entity_id not in bucket and entity_id not in refused:
                # Each look costs the length of the text, so they are counted like what they find.
                if len(bucket) + len(refused) < MAX_PER_TEXT and _stands_as(exact, text):
                    bucket[entity_id] = None
                else:
                    refused.add(entity_id)
    return Finding(tuple(restaurants), tuple(others)) if restaurants or others else NOTHING


def _longest(hits: list[_Hit]) -> list[_Hit]:
    """Where names overlap the longer one is meant; of two equally long ones the first."""
    kept: list[_Hit] = []
    last_end = -1
    for hit in hits:
        end, (length, _) = hit
        start = end - length
        if start >= last_end:  # neighbours share the space between them
            kept.append(hit)
            last_end = end
            continue
        covered = len(kept)
        while covered and kept[covered - 1][0] > start:
            covered -= 1
        if all(other[1][0] < length for other in kept[covered:]):
            kept[covered:] = [hit]
            last_end = end
    return kept


def _stands_as(name: str, text: str) -> bool:
    """The name as a word of its own, in its own case."""
    at = text.find(name)
    while at >= 0:
        after = at + len(name)
        if not (at and text[at - 1].isalnum()) and not text[after : after + 1].isalnum():
            return True
        at = text.find(name, after)
    return False


def _mark_term(folded: str, forms: set[str], findings: list[Finding]) -> None:
    patterns = [f" {form} " for form in forms if f" {form} " in folded]
    if not patterns:
        return
    for row, text in enumerate(folded.split(SEPARATOR)[:-1]):
        if any(pattern in text for pattern in patterns):
            found = findings[row]
            findings[row] = Finding(found.restaurants, found.others, found.candidates, has_term=True)
