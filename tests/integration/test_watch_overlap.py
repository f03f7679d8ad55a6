"""Two watches that overlap: what one of them would announce alone is announced, once, whoever looks first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dibs.clock import FakeClock
from dibs.sim.resy_world import ResyWorld
from watch_harness import DAY, Rig, resy_provider, resy_rig, rig

EARLY, LATE = "15:00", "20:30"
# Near the first anchor only, near both, near the second only.
HOURS = ("17:00:00", "17:45:00", "20:00:00")
IN_SIGHT = {EARLY: HOURS[:2], LATE: HOURS[1:]}
ALWAYS = 99
numbers = count(1)


async def poll(made: Rig, anchor: str, day: str = DAY) -> None:
    await made.parts.poller.poll_now(f"resy:{day}_{anchor}")


@pytest.mark.parametrize("first", [EARLY, LATE])
async def test_a_venue_from_zero_is_announced_whoever_looks_first(dsn: str, clock: FakeClock, first: str):
    """It has a table in the afternoon, and in the evening it had none."""
    world = ResyWorld()
    world.opens(1, f"{DAY} {HOURS[0]}")
    world.opens(2, f"{DAY} {HOURS[2]}")
    async with resy_rig(dsn, clock, world, time_slots=(EARLY, LATE)) as made:
        await made.poll()
        world.opens(1, f"{DAY} {HOURS[1]}")
        clock.advance(20)
        await poll(made, first)
        clock.advance(1)
        await poll(made, EARLY if first == LATE else LATE)
        (event,) = await made.events()
        assert (event.slot_key, event.watch_key) == (f"1|{DAY} {HOURS[1]}", f"resy:{DAY}_{LATE}")
        assert (event.status_before, event.seat_delta, event.generation, event.still_open) == ("Closed", 1, 1, True)
        clock.advance(20)
        await poll(made, EARLY)
        await poll(made, LATE)
        assert len(await made.events()) == 1


@pytest.mark.parametrize("quietly", ["new", "baseline"])
async def test_a_watch_that_records_quietly_does_not_swallow_what_another_sees(
    dsn: str, clock: FakeClock, quietly: str
):
    world = ResyWorld()
    world.opens(2, f"{DAY} {HOURS[1]}")
    async with resy_rig(dsn, clock, world, time_slots=(EARLY,)) as made:
        await made.poll()
        if quietly == "baseline":
            await made.parts.watches.add("resy", {"date": DAY, "time_slot": LATE})
            await made.poll()
        world.opens(1, f"{DAY} {HOURS[1]}")
        clock.advance(20)
        await made.parts.watches.add("resy", {"date": DAY, "time_slot": LATE})
        await made.parts.poller.poll_now(f"resy:{DAY}_{LATE}", quietly=quietly == "baseline")
        assert await made.events() == []
        clock.advance(1)
        await poll(made, EARLY)
        assert [event.watch_key for event in await made.events()] == [f"resy:{DAY}_{EARLY}"]


async def test_what_was_open_before_our_last_look_is_no_news(dsn: str, clock: FakeClock):
    """The late watch loses sight of a table that is there all the time, and finds it again."""
    world = ResyWorld()
    world.opens(1, f"{DAY} {HOURS[1]}")
    world.opens(2, f"{DAY} {HOURS[1]}")
    async with resy_rig(dsn, clock, world, time_slots=(EARLY, LATE)) as made:
        await made.poll()
        world.closes(1, f"{DAY} {HOURS[1]}")
        clock.advance(20)
        await poll(made, LATE)
        world.opens(1, f"{DAY} {HOURS[1]}")
        clock.advance(20)
        await poll(made, EARLY)
        await poll(made, LATE)
        assert await made.events() == []


@dataclass
class Slot:
    open: bool = False
    since: float = 0.0
    told: bool = False
    told_at: float | None = None


@dataclass
class View:
    """What one watch saw when it looked last, and what it has missed while the other still saw it."""

    at: float
    shown: set[tuple[int, str]]
    doubted: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])


@dataclass
class Pair:
    """Read from the rules, slot by slot: both watches alone, and what they share."""

    from_zero: bool
    dedupe_s: float
    slots: dict[tuple[int, str], Slot] = field(default_factory=dict[tuple[int, str], Slot])
    views: dict[str, View] = field(default_factory=dict[str, View])
    events: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def look(self, anchor: str, at: float, shown: set[tuple[int, str]]) -> None:
        before = self.views.get(anchor)
        known = before.shown | before.doubted if before else set[tuple[int, str]]()
        for one in sorted(shown - (before.shown if before else set())):
            self._appears(one, before, at)
        doubted = {one for one in sorted(known - shown) if not self._disappears(one, anchor, at)}
        self.views[anchor] = View(at, shown, doubted)

    def _appears(self, one: tuple[int, str], before: View | None, at: float) -> None:
        slot = self.slots.setdefault(one, Slot())
        recently = slot.told_at is not None and at - slot.told_at <= self.dedupe_s
        alone = before is not None and not recently
        if before is not None and self.from_zero and one[0] in {venue for venue, _ in before.shown}:
            alone = False
        if not slot.open:
            # A flap inside the window is the opening that was told.
            slot.open, slot.since, slot.told = True, at, recently and before is not None
        elif before is None or slot.told or slot.since <= before.at:
            return
        if alone:
            slot.told, slot.told_at = True, at
            self.events.append((f"{one[0]}|{one[1]}", "Open"))

    def _disappears(self, one: tuple[int, str], anchor: str, at: float) -> bool:
        """Whether it is gone for everybody."""
        slot = self.slots[one]
        others = [view for name, view in self.views.items() if name != anchor]
        if slot.open and any(one in view.shown and at - view.at < 600 for view in others):
            return False
        if slot.open:
            slot.open = False
            self.events.append((f"{one[0]}|{one[1]}", "Closed"))
        for view in others:
            view.shown.discard(one)
            view.doubted.discard(one)
        return True


@dataclass
class Overlap:
    rig: Rig
    world: ResyWorld


@pytest.fixture
async def overlap(dsn: str, clock: FakeClock) -> AsyncIterator[Overlap]:
    world = ResyWorld()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(world.serving())
        providers: dict[str, Any] = {"resy": resy_provider(server, party_sizes=[2])}
        yield Overlap(await stack.enter_async_context(rig(dsn, clock, server, providers)), world)


steps = st.lists(
    st.tuples(
        st.lists(st.tuples(st.integers(1, 2), st.sampled_from(HOURS)), max_size=3),
        st.sampled_from([EARLY, LATE]),
        st.sampled_from([1, 20, 70, 700]),
    ),
    min_size=3,
    max_size=12,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(from_zero=st.booleans(), dedupe_s=st.sampled_from([0, 60, 1800]), steps=steps)
async def test_overlapping_worlds(overlap: Overlap, from_zero: bool, dedupe_s: int, steps: list[Any]):
    world, made, number = overlap.world, overlap.rig, next(numbers)
    day = f"20{40 + number // 336}-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}"
    world.slots.clear()
    world.opens(ALWAYS, f"{day} {HOURS[1]}")
    policy = {"open_rule": "group_from_zero" if from_zero else "each", "dedupe_s": dedupe_s}
    for anchor in (EARLY, LATE):
        await made.parts.watches.add("resy", {"date": day, "time_slot": anchor}, policy)
    pair = Pair(from_zero, dedupe_s)
    for flips, anchor, pause in steps:
        for venue, hour in flips:
            change = world.closes if f"{day} {hour}" in world.venue(venue) else world.opens
            change(venue, f"{day} {hour}")
        made.clock.advance(pause)
        await poll(made, anchor, day)
        visible = {f"{day} {hour}" for hour in IN_SIGHT[anchor]}
        shown = {(venue, start) for venue, starts in world.slots.items() for start in starts if start in visible}
        pair.look(anchor, made.clock.now().timestamp(), shown)
    keys = {f"resy:{day}_{anchor}" for anchor in (EARLY, LATE)}
    found = [(event.slot_key, event.status_after) for event in await made.events() if event.watch_key in keys]
    assert sorted(found) == sorted(pair.events)
    for key in keys:
        await made.parts.watches.remove(key)
