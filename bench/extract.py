"""`extract`: MB/s of Reddit-like text against 100,000 known names, beside a bare Aho-Corasick pass.

The floor only walks an automaton of the same folded names over the same, already folded text, and throws its
hits away. Ours starts from the texts as they come (capitals, accents, signs, emoji) and ends with findings:
folding, matching, word boundaries, longest name wins, candidate names, and the links between restaurants and
foods of a text. A known restaurant is named about every 400 characters, a food as often again.
"""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import ahocorasick

from bench.harness import Bench, Result
from dibs.demand.extract import DeterministicExtractor
from dibs.demand.extract.fold import collapse, fold
from dibs.places.model import EntityType, KnownName
from dibs.sim.reddit_talk import FOODS, known_names, reddit_like

NAMES = 100_000
BATCH = 500  # texts in one call, about what 25 posts with their comments bring


async def run(bench: Bench) -> list[Result]:
    rng = random.Random(7)
    names = known_names(rng, bench.sized(NAMES, 2_000))
    texts = reddit_like(rng, names, megabytes=bench.sized(8, 1))
    size = sum(len(text) for text in texts) / 1e6
    known = [KnownName(row, EntityType.RESTAURANT, name) for row, name in enumerate(names)]
    known += [KnownName(NAMES + row, EntityType.FOOD, name) for row, name in enumerate(FOODS)]
    automaton = _bare(known)
    folded = " ".join(fold(text) for text in texts)
    extractor = DeterministicExtractor()
    vocabulary = extractor.prepare(known)

    async def ours() -> float:
        mentions = links = 0
        for start in range(0, len(texts), BATCH):
            for found in extractor.extract(texts[start : start + BATCH], vocabulary):
                mentions += len(found.restaurants)
                links += len(found.links())
        assert 200 < size * 1e6 / mentions < 600, "the text is not realistic"
        assert links
        return size

    async def floor() -> float:
        deque(automaton.iter(folded), maxlen=0)
        return size

    value, lowest = await bench.compare(ours, floor, rounds=7)
    return [Result("extract", value, "MB/s", floor=lowest, at_least=0.3)]


def _bare(known: list[KnownName]) -> Any:
    automaton = ahocorasick.Automaton()
    for one in known:
        automaton.add_word(collapse(one.name), one.entity_id)
    automaton.make_automaton()
    return automaton
