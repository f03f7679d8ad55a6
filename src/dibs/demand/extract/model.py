"""The nouns of extraction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

import msgspec

# More distinct names than this in one text is a directory or an attack, not somebody's opinion.
MAX_PER_TEXT = 40

RESTAURANT = "restaurant"


@dataclass(frozen=True, slots=True)
class Known:
    """A name the extractor looks for; aliases are further rows with the same entity."""

    entity_id: UUID
    entity_type: str
    name: str


class Finding(msgspec.Struct, frozen=True, gc=False):
    """What one text speaks of, in the order of the text, each entity once."""

    restaurants: tuple[UUID, ...] = ()
    others: tuple[UUID, ...] = ()  # foods and attributes
    candidates: tuple[str, ...] = ()  # names that may be restaurants, as written
    has_term: bool = False  # the requested term stands in the text

    def links(self) -> list[tuple[UUID, UUID]]:
        """Every restaurant with every food or attribute of the same text."""
        return [(restaurant, other) for restaurant in self.restaurants for other in self.others]


NOTHING = Finding()


class Vocabulary(Protocol):
    """What is known about one place, prepared for matching; built once, used for many batches."""

    def knows_restaurant(self, name: str) -> bool: ...


class Extractor(Protocol):
    """The whole interface of an extractor plug-in."""

    def prepare(self, known: Sequence[Known]) -> Vocabulary: ...

    def extract(self, texts: Sequence[str], vocabulary: Vocabulary, term: str = "") -> list[Finding]:
        """One finding per text, in the same order."""
        ...
