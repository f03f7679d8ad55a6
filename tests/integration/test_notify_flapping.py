"""A flapping slot over two simulated hours, against an oracle that keeps no tables."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from dibs.clock import FakeClock
from dibs.parts import Parts
from notify_harness import close_slots, come_back, open_slots, rig

TWO_HOURS_S = 7_200


@dataclass
class Oracle:
    """What a person expects: one notice for each time it opened, if it could still be had when they were told."""

    is_open: bool = False
    life: int = 0
    waiting: list[int] = field(default_factory=list[int])
    told: set[int] = field(default_factory=set[int])
    notices: int = 0

    def opened(self) -> None:
        self.is_open = True
        self.waiting.append(self.life)

    def closed(self) -> None:
        self.is_open = False
        self.life += 1

    def delivered(self) -> None:
        """Everything that waits is decided: only the present life of an open slot is news, and only once."""
        if self.is_open and self.life in self.waiting and self.life not in self.told:
            self.told.add(self.life)
            self.notices += 1
        self.waiting.clear()


@pytest.mark.parametrize("seed", range(6))
async def test_exactly_as_many_notices_as_the_oracle_says(parts: Parts, clock: FakeClock, seed: int) -> None:
    chance = random.Random(seed)
    it = rig(parts)
    await it.subscribe()
    oracle = Oracle()
    generation = 0
    end = clock.now().timestamp() + TWO_HOURS_S
    while clock.now().timestamp() < end:
        clock.advance(chance.choice((5, 15, 15, 40, 200)))
        step = chance.random()
        if step < 0.35 and not oracle.is_open:
            generation += 1
            await open_slots(parts, "1", generation=generation)
            oracle.opened()
        elif step < 0.6 and oracle.is_open:
            generation += 1
            await close_slots(parts, "1", generation=generation)
            oracle.closed()
        elif step < 0.7 and oracle.is_open:
            # The same opening once more, by another watch or by hand: nobody is told twice.
            generation += 1
            await open_slots(parts, "1", generation=generation)
            oracle.opened()
        elif step < 0.9:
            await it.tell()
            oracle.delivered()
        assert len(it.channel.sent) == oracle.notices
    assert oracle.notices >= 3


async def test_a_flap_under_the_same_event_is_one_notice(parts: Parts) -> None:
    it = rig(parts)
    await it.subscribe()
    await open_slots(parts, "1")
    for _ in range(20):
        await it.tell()
        await close_slots(parts, "1", quietly=True)
        await it.tell()
        await come_back(parts, "1")
    await it.tell()
    assert len(it.channel.sent) == 1
