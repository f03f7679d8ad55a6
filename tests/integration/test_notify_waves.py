"""Waves: so many at once, the next later, in the order in which they subscribed; a close ends it."""

from __future__ import annotations

import pytest

from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import Notify
from dibs.parts import Parts
from notify_harness import close_slots, open_slots, rig


@pytest.fixture
def config() -> Config:
    return Config(notify=Notify(wave_size=2, wave_s=30.0))


async def test_two_every_half_minute_in_line_order(parts: Parts, clock: FakeClock) -> None:
    made = rig(parts)
    for name in "abcde":
        await made.subscribe(f"https://{name}.example/")
    await open_slots(parts, "1")
    told: list[list[str]] = []
    for _ in range(4):
        before = len(made.channel.sent)
        await made.tell()
        told.append(sorted(message.address[8] for message in made.channel.sent[before:]))
        clock.advance(30)
    assert told == [["a", "b"], ["c", "d"], ["e"], []]


async def test_the_waves_stop_when_the_slot_closes(parts: Parts, clock: FakeClock) -> None:
    made = rig(parts)
    for name in "abcd":
        await made.subscribe(f"https://{name}.example/")
    await open_slots(parts, "1")
    await made.tell()
    await close_slots(parts, "1")
    clock.advance(31)
    await made.tell()
    assert sorted(message.address[8] for message in made.channel.sent) == ["a", "b"]
    assert sorted(await made.statuses()) == [
        ("expired", "closed_meanwhile"),
        ("expired", "closed_meanwhile"),
        ("sent", None),
        ("sent", None),
    ]
