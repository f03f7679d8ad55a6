"""The nouns of extraction."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from dibs.places.model import KnownName

# More distinct names than this in one text is a directory or an attack, not somebody's opinion.
MAX_PER_TEXT = 40


class Finding(msgspec.Struct, frozen=True, gc=False):
    """What one text speaks of, in the order of the text, each entity once."""

    restaurants: tuple[int, ...] = ()
    others: tuple[int, ...] = ()  # foods and attributes
    candidates: tuple[str, ...] = ()  # names that may be restaurants, as written
    has_term: bool = False  # the requested term stands in the text

    def links(self) -> list[tuple[int, int]]:
        """Every restaurant with every food or attribute of the same text."""
        return [(restaurant, other) for restaurant in self.restaurants for other in self.others]


NOTHING = Finding()


class Vocabulary(Protocol):
    """What is known about one place, prepared for matching; built once, used for many batches."""

    def knows_restaurant(self, name: str) -> bool: ...


class Extractor(Protocol):
    """The whole interface of an extractor plug-in."""

    def prepare(self, known: Sequence[KnownName]) -> Vocabulary: ...

    def extract(self, texts: Sequence[str], vocabulary: Vocabulary, term: str = "") -> list[Finding]:
        """One finding per text, in the same order."""
        ...
