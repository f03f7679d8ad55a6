"""Names that may be restaurants: capitalised words where people put a restaurant's name."""

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from itertools import accumulate

from dibs.demand.extract.fold import collapse
from dibs.demand.extract.words import AROUND_A_NAME, CUES, NOT_A_NAME

MAX_CANDIDATES_PER_TEXT = 10
_BARE_ANSWER_CHARACTERS = 60
_JOINT = "\n\x1e\n"

# Every repetition is bounded and starts with another sign than the one before ends with: linear.
_WORD = r"[\w'’]{0,30}(?:(?: & | and | [Oo]f | de | y | |-)[A-Z0-9À-Þ][\w'’]{0,30}){0,5}"
_NAME = rf"[A-Z0-9À-Þ]{_WORD}"


def _behind(width: int) -> str:
    """A lookbehind of one width: the search then runs from capital to capital, not from word to word."""
    cues = [cue.replace("_", " ") for cue in CUES if len(cue) == width]
    return rf"(?<=[ \n](?:{'|'.join(f'[{cue[0].upper()}{cue[0]}]{cue[1:]}' for cue in cues)}) .)"


_BEHIND = "|".join(_behind(width) for width in sorted({len(cue) for cue in CUES}))
_AFTER_A_CUE = re.compile(rf"[A-ZÀ-Þ](?:{_BEHIND}){_WORD}")
_LIST_ITEM = re.compile(rf"\n[ \t]{{0,3}}(?:[-*•+]|\d{{1,2}}[.)]) {{0,3}}[*_\"“\[]{{0,2}}({_NAME})")
_BOLD = re.compile(rf"\*\*({_NAME})\*\*")
_BARE = re.compile(rf"({_NAME})[.!]{{0,3}}")

_LEADING = AROUND_A_NAME | set(CUES)


def find_candidates(texts: Sequence[str], known: Container[str]) -> dict[int, tuple[str, ...]]:
    """For each text that has any: its candidates as written, each once, known ones left out."""
    found: dict[int, dict[str, str]] = {}
    for row, raw in _raw_names(texts):
        if raw not in known:
            _add(found.setdefault(row, {}), raw, known)
    return {row: tuple(names.values()) for row, names in found.items() if names}


def _raw_names(texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    for row, text in enumerate(texts):
        if len(text) <= _BARE_ANSWER_CHARACTERS and (bare := _BARE.fullmatch(text.strip('*_"“” \n'))):
            yield row, bare.group(1)
    joined = "\n" + _JOINT.join(texts)
    starts = list(accumulate((len(text) + len(_JOINT) for text in texts), initial=0))
    for match in _AFTER_A_CUE.finditer(joined):
        yield bisect_right(starts, match.start()) - 1, match.group()
    for pattern in (_LIST_ITEM, _BOLD):
        for match in pattern.finditer(joined):
            yield bisect_right(starts, match.start(1)) - 1, match.group(1)


def _add(found: dict[str, str], raw: str, known: Container[str]) -> None:
    """The name, and when it may be two names ("Uchi and Uchiko"), each of them: Places decides."""
    for part in (raw, *raw.split(" and ")) if " and " in raw else (raw,):
        if len(found) >= MAX_CANDIDATES_PER_TEXT:
            return
        name = _tidy(part)
        folded = collapse(name)
        if folded not in known and _plausible(folded):
            found.setdefault(folded, name)


def _plausible(folded: str) -> bool:
    if len(folded) < 3 or folded in NOT_A_NAME or not any(sign.isalpha() for sign in folded):
        return False
    return any(word not in NOT_A_NAME for word in folded.split())


def _tidy(name: str) -> str:
    """Without the sentence's own words around it: "But Uchi" is Uchi, "The Salty Donut" stays."""
    words = name.split(" ")
    while len(words) > 1 and words[0].lower() in _LEADING and words[0] != "The":
        words.pop(0)
    while len(words) > 1 and words[-1].lower() in AROUND_A_NAME:
        words.pop()
    return " ".join(words).strip("'’-& ")
