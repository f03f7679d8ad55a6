"""Extraction: MB/s of Reddit-like text against 100,000 known names, beside a bare Aho-Corasick pass.

The bare pass only walks an automaton of the same folded names over the same, already folded text and
throws its hits away. Ours starts from the texts as they come (capitals, accents, signs, some in other
scripts) and ends with findings: folding, matching, word boundaries, longest name wins, candidates and
the links between restaurants and foods.
"""

import random
import time
from collections import deque
from collections.abc import Callable

import ahocorasick

from dibs.demand.extract import DeterministicExtractor
from dibs.demand.extract.fold import collapse, fold
from dibs.places.model import EntityType, KnownName
from dibs.sim.reddit_talk import FOODS, known_names, reddit_like

FLOOR = 0.3
NAMES = 100_000
_BATCH = 500  # texts in one call, about what one post with its comments brings


def _span(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measure(megabytes: float = 8.0, rounds: int = 5) -> dict[str, float]:
    rng = random.Random(7)
    names = known_names(rng, NAMES)
    texts = reddit_like(rng, names, megabytes)
    size = sum(len(text) for text in texts) / 1e6
    known = [KnownName(row, EntityType.RESTAURANT, name) for row, name in enumerate(names)]
    known += [KnownName(NAMES + row, EntityType.FOOD, name) for row, name in enumerate(FOODS)]

    bare = ahocorasick.Automaton()
    for one in known:
        bare.add_word(collapse(one.name), one.entity_id)
    bare.make_automaton()
    folded = " ".join(fold(text) for text in texts)

    extractor = DeterministicExtractor()
    vocabulary = extractor.prepare(known)
    links = mentions = 0

    def ours() -> None:
        nonlocal links, mentions
        links = mentions = 0
        for start in range(0, len(texts), _BATCH):
            for found in extractor.extract(texts[start : start + _BATCH], vocabulary):
                mentions += len(found.restaurants)
                links += len(found.links())

    def walk() -> None:
        deque(bare.iter(folded), maxlen=0)

    # In turns, so that a busy moment of the machine meets both; the best of each counts.
    spans = [(_span(walk), _span(ours)) for _ in range(rounds)]
    bare_s, ours_s = (min(column) for column in zip(*spans, strict=True))
    return {
        "megabytes": size,
        "characters_per_mention": size * 1e6 / max(mentions, 1),
        "mentions": mentions,
        "links": links,
        "bare_mb_s": size / bare_s,
        "ours_mb_s": size / ours_s,
        "ratio": bare_s / ours_s,
        "floor": FLOOR,
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:>24} {value:,.2f}")
