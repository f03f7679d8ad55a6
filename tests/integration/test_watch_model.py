"""Random worlds with random faults, through real HTTP, polling and a real database, against an oracle.

No missed opening, no false one, one event per real opening.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dibs.clock import FakeClock
from dibs.config.sections import Pace, ResyPace
from dibs.sim.faults import Fault
from dibs.sim.json_world import JsonWorld
from dibs.sim.resy_world import ResyWorld
from dibs.sim.soc_world import SocWorld
from watch_harness import Rig, json_provider, resy_provider, rig, soc_provider
from watch_oracle import Oracle, Rules

WORLDS_EACH = 70
NO_PAUSE: dict[str, Any] = {"gap_ms": 0, "degraded_gap_ms": 0, "pause_s": 0, "soft_outage_pause_s": 0}
SILENT = (Fault.HTML, Fault.SERVER_ERROR, Fault.GARBAGE, Fault.TRUNCATED, Fault.LIMITED, Fault.NOT_FOUND)
CALM = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
numbers = count(1)


@dataclass
class Worlds:
    """One database and one set of servers for all examples; each example has a watch of its own."""

    rig: Rig
    json: JsonWorld
    soc: SocWorld
    resy: ResyWorld


@pytest.fixture
async def worlds(dsn: str, clock: FakeClock) -> AsyncIterator[Worlds]:
    json, soc, resy = JsonWorld(conditional=False), SocWorld(), ResyWorld()
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(world.serving()) for world in (json, soc, resy)]
        providers: dict[str, Any] = {
            "camps": json_provider(servers[0], pace=Pace(**NO_PAUSE)),
            "soc": soc_provider(servers[1], pace=Pace(**NO_PAUSE)),
            "resy": resy_provider(servers[2], pace=ResyPace(**NO_PAUSE), per_page=2, party_sizes=[2]),
        }
        made = await stack.enter_async_context(rig(dsn, clock, servers[0], providers))
        yield Worlds(made, json, soc, resy)


rules = st.builds(
    Rules,
    rule=st.sampled_from(["each", "group_from_zero"]),
    misses=st.integers(1, 2),
    dedupe_s=st.sampled_from([0, 60, 1800]),
    close_clears=st.booleans(),
    min_drop=st.sampled_from([1, 3, 25]),
    drop_ratio=st.sampled_from([0.1, 0.5]),
)
pauses = st.sampled_from([15, 40, 90, 200, 700])


def policy_of(chosen: Rules) -> dict[str, Any]:
    return {
        "open_rule": chosen.rule,
        "misses_to_close": chosen.misses,
        "dedupe_s": chosen.dedupe_s,
        "close_clears_dedupe": chosen.close_clears,
        "gate_min_drop": chosen.min_drop,
        "gate_drop_ratio": chosen.drop_ratio,
    }


async def check(worlds: Worlds, key: str, oracle: Oracle) -> None:
    """The announced openings are those of the oracle, one for one, and so are the closes."""
    found = [(event.slot_key, event.status_after) for event in await worlds.rig.events() if event.watch_key == key]
    assert sorted(found) == sorted(oracle.events)
    async with worlds.rig.parts.db.connection() as connection:
        cursor = await connection.execute("SELECT slot_key FROM slot WHERE watch_key = %s AND open", (key,))
        still_open = {row[0] for row in await cursor.fetchall()}
    assert still_open == {slot_key for slot_key, slot in oracle.slots.items() if slot.open}
    await worlds.rig.parts.watches.remove(key)


def at(worlds: Worlds) -> float:
    return worlds.rig.clock.now().timestamp()


flat_steps = st.lists(
    st.tuples(
        st.lists(st.integers(0, 7), max_size=4),
        st.sampled_from([None, None, None, *SILENT, Fault.EMPTY, Fault.PARTIAL]),
        pauses,
    ),
    min_size=2,
    max_size=9,
)


@settings(max_examples=WORLDS_EACH, suppress_health_check=CALM)
@given(chosen=rules, steps=flat_steps, start=st.integers(0, 255))
async def test_json_worlds(worlds: Worlds, chosen: Rules, steps: list[Any], start: int):
    world, park = worlds.json, f"p{next(numbers)}"
    for site in range(8):
        if start >> site & 1:
            world.opens(park, f"{park}-{site}")
    watch, _ = await worlds.rig.parts.watches.add("camps", {"park": park, "month": "2026-07"}, policy_of(chosen))
    oracle = Oracle(chosen)
    for flips, fault, pause in steps:
        for position, site in enumerate(flips):
            _flip(world, park, f"{park}-{site}", listed=position % 2 == 0)
        worlds.rig.clock.advance(pause)
        world.faults.script.append(fault)
        result = await worlds.rig.parts.poller.poll_now(watch.key)
        if fault in SILENT:
            assert result.outcome == "failed"
            continue
        records = world.document(park, "2026-07", fault)["campsites"]
        keys = {f"{one['id']}|{one['date']}": one for one in records}
        oracle.look(
            at(worlds),
            {key: one["loop"] for key, one in keys.items() if one["status"] == "Available"},
            said_shut={key for key, one in keys.items() if one["status"] != "Available"},
        )
    await check(worlds, watch.key, oracle)


def _flip(world: JsonWorld, park: str, site: str, *, listed: bool) -> None:
    if site not in world.open_sites(park):
        world.opens(park, site)
    elif listed:
        world.closes(park, site)
    else:
        world.vanishes(park, site)


@settings(max_examples=WORLDS_EACH, suppress_health_check=CALM)
@given(chosen=rules, steps=flat_steps, start=st.integers(0, 255))
async def test_soc_worlds(worlds: Worlds, chosen: Rules, steps: list[Any], start: int):
    world, campus = worlds.soc, f"C{next(numbers)}"
    for index in range(8):
        if start >> index & 1:
            world.opens("92025", campus, f"{index:05d}")
    watch, _ = await worlds.rig.parts.watches.add("soc", {"term": "92025", "campus": campus}, policy_of(chosen))
    oracle = Oracle(chosen)
    for flips, fault, pause in steps:
        there = world.sections.setdefault(("92025", campus), {})
        for index in flips:
            there[f"{index:05d}"] = not there.get(f"{index:05d}", False)
        worlds.rig.clock.advance(pause)
        world.faults.script.append(fault)
        result = await worlds.rig.parts.poller.poll_now(watch.key)
        if fault in SILENT:
            assert result.outcome == "failed"
            continue
        indexes = [] if fault is Fault.EMPTY else world.open_indexes("92025", campus)
        if fault is Fault.PARTIAL:
            indexes = world.faults.kept(indexes)
        oracle.look(at(worlds), {f"92025|{campus}|{index}": index for index in indexes})
    await check(worlds, watch.key, oracle)


paged_steps = st.lists(
    st.tuples(
        st.lists(st.tuples(st.integers(1, 6), st.integers(0, 1)), max_size=4),
        st.sampled_from([0, 0, 0, 1, 2, 3]),
        pauses,
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=WORLDS_EACH, suppress_health_check=CALM)
@given(chosen=rules, steps=paged_steps, start=st.integers(0, 63))
async def test_resy_worlds(worlds: Worlds, chosen: Rules, steps: list[Any], start: int):
    """Three pages of two venues; in each look one of them may fail."""
    world = worlds.resy
    world.slots.clear()
    number = next(numbers)
    day = f"20{30 + number // 336}-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}"
    starts = [f"{day} 20:00:00", f"{day} 21:00:00"]
    for venue in range(1, 7):
        world.venue(venue)
        if start >> (venue - 1) & 1:
            world.opens(venue, starts[0])
    watch, _ = await worlds.rig.parts.watches.add("resy", {"date": day, "time_slot": "20:30"}, policy_of(chosen))
    oracle = Oracle(chosen, grouped=True)
    for flips, broken, pause in steps:
        for venue, which in flips:
            if starts[which] in world.venue(venue):
                world.closes(venue, starts[which])
            else:
                world.opens(venue, starts[which])
        worlds.rig.clock.advance(pause)
        world.faults.script.extend([None] * (broken - 1) + [Fault.SERVER_ERROR] if broken else [])
        await worlds.rig.parts.poller.poll_now(watch.key)
        world.faults.script.clear()
        if broken == 1:
            continue
        seen = range(1, 7) if not broken else range(1, 2 * broken - 1)
        shown = {f"{venue}|{one}": str(venue) for venue in seen for one in world.venue(venue)}
        oracle.look(at(worlds), shown, full=not broken, groups={str(venue) for venue in seen})
    await check(worlds, watch.key, oracle)


def test_the_oracle_can_disagree():
    """The control: a wrong verdict would be noticed."""
    oracle = Oracle(Rules())
    oracle.look(0, {"a": "a"})
    oracle.look(15, {"a": "a", "b": "b"})
    assert oracle.events == [("b", "Open")]
    assert oracle.events != []
