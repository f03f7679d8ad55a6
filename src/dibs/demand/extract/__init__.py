"""From texts to mentions: which restaurants, foods and attributes a text speaks of.

Authority: the vocabulary (names and aliases known to places) says what is known; an extractor only
finds. It has no state, no I/O and no clock, so the same texts and the same vocabulary always give the
same findings, and processing a post twice writes nothing new.

The built-in extractor is deterministic:

    texts ─ fold ─▶ one joined string ─ one Aho-Corasick pass ─▶ hits ─ longest wins ─▶ Finding per text
         └─ candidate patterns (capitalised names after a cue, list items, bare answers) ─┘

A candidate is a guess. It becomes a restaurant only when Places knows one of that name near the
community. Another extractor is plugged in by an entry point in the group `dibs.extractors`; its name
goes into `[collect] extractor`.

Failure: any text is valid input, hostile ones included; the cost is linear in the text and a finding is
capped at `MAX_PER_TEXT` names, so a text made of names cannot blow up the links.
"""

from dibs.demand.extract.deterministic import DeterministicExtractor
from dibs.demand.extract.model import (
    MAX_PER_TEXT,
    NOTHING,
    Extractor,
    Finding,
    Vocabulary,
)
from dibs.demand.extract.plug import load_extractor

__all__ = [
    "MAX_PER_TEXT",
    "NOTHING",
    "DeterministicExtractor",
    "Extractor",
    "Finding",
    "Vocabulary",
    "load_extractor",
]
