"""What a query means: which names in it are known, and which words nobody knows. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from dibs.demand.lexicon import FILLERS, guess_type
from dibs.demand.model import Term
from dibs.places.names import LONGEST, key_of

# A longer name than this is not found inside a sentence; a query of more words is cut.
LONGEST_NAME_WORDS = 8
LONGEST_QUERY_WORDS = 32


@dataclass(frozen=True, slots=True)
class Word:
    """A word's key, and which written token it comes from ("Chick-fil-A" gives three words)."""

    key: str
    token: int


def words_of(query: str) -> list[Word]:
    """The query's words; signs alone are none, unless there is nothing else."""
    tokens = query.split()
    words = [
        Word(key, at) for at, token in enumerate(tokens) if _says_something(token) for key in key_of(token).split()
    ]
    bare = [Word(key_of(token), at) for at, token in enumerate(tokens)]
    return (words or bare)[:LONGEST_QUERY_WORDS]


def _says_something(token: str) -> bool:
    return any(sign.isalnum() for sign in token)


def spans_of(query: str) -> list[str]:
    """Every run of words that may be a name, by its key."""
    words = [word.key for word in words_of(query)]
    longest = min(LONGEST_NAME_WORDS, len(words))
    runs = (
        " ".join(words[start : start + length])
        for length in range(longest, 0, -1)
        for start in range(len(words) - length + 1)
    )
    return list(dict.fromkeys(runs))


def read(query: str, known: Mapping[str, object], place: str | None = None) -> tuple[list[str], list[Term]]:
    """The known names in the query, longest first from left to right, and what is left as unknown terms.

    Filler words are nobody's name, and neither is the city one is in ("tacos austin" in austinfood).
    """
    words = words_of(query)
    names: list[str] = []
    left: list[list[Word]] = [[]]
    at = 0
    while at < len(words):
        length = _longest(words, at, known)
        if length:
            names.append(_joined(words[at : at + length]))
            left.append([])
            at += length
            continue
        left[-1].append(words[at])
        at += 1
    terms = [_term(run, query.split(), place) for run in left]
    return names, [term for term in terms if term]


def _joined(words: Sequence[Word]) -> str:
    return " ".join(word.key for word in words)


def _longest(words: Sequence[Word], at: int, known: Mapping[str, object]) -> int:
    longest = min(LONGEST_NAME_WORDS, len(words) - at)
    return next((n for n in range(longest, 0, -1) if _joined(words[at : at + n]) in known), 0)


def _term(run: Sequence[Word], tokens: Sequence[str], place: str | None) -> Term | None:
    """The run as it was written, without fillers at its ends; one inside may belong to a name ("house of pho")."""
    telling = [at for at, word in enumerate(run) if not _is_filler(word.key, place)]
    if not telling:
        return None
    kept = run[telling[0] : telling[-1] + 1]
    written = " ".join(tokens[kept[0].token : kept[-1].token + 1])
    text = written.strip(' .,;:!?"()[]{}') or written
    return Term(text[:LONGEST], guess_type(_joined(kept)))


def _is_filler(word: str, place: str | None) -> bool:
    return word in FILLERS or (place is not None and len(word) >= 4 and place.startswith(word))


def is_slip_of(typed: str, name: str) -> bool:
    """Whether two keys are one name but for a slip of the finger or a plural, word by word."""
    pairs = list(zip(typed.split(), name.split(), strict=False))
    same_length = len(typed.split()) == len(name.split()) == len(pairs)
    return same_length and all(_one_slip(a, b) for a, b in pairs)


def _one_slip(a: str, b: str) -> bool:
    if a == b:
        return True
    if any(sign.isdigit() for sign in a + b):
        return False
    short, long = sorted((a, b), key=len)
    if len(short) >= 3 and long in {short + "s", short + "es"}:
        return True
    return len(short) >= 5 and Levenshtein.distance(a, b) <= 1
