"""Flapping slots over two simulated hours, seen by polling a provider, against an oracle that counts the notices."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import pytest

from dibs.clock import FakeClock
from dibs.config.sections import Pace, Policy
from dibs.notify import Wish
from dibs.sim.faults import Fault
from dibs.sim.json_world import JsonWorld
from dibs.sim.soc_world import SocWorld
from notify_harness import Receiver, receiving
from notify_oracle import Person, Rules
from watch_harness import PARK, Rig, json_rig, soc_rig

TWO_HOURS_S, STEP_S = 7_200, 30
SEEDS = range(3)
NO_PAUSE = Pace(gap_ms=0, degraded_gap_ms=0, pause_s=0, soft_outage_pause_s=0)
SOC = Rules(misses=2, dedupe_s=180, close_clears=True)
JSON = Rules(misses=1, dedupe_s=180, close_clears=False)
FROM_ZERO = Rules(misses=1, dedupe_s=600, close_clears=False, group_from_zero=True)


class Stage(Protocol):
    """A simulated provider of which some slots flap; `groups` maps their keys to their groups."""

    watch: str
    groups: dict[str, str]

    def rig(self, dsn: str, clock: FakeClock) -> AbstractAsyncContextManager[Rig]: ...
    def show(self, key: str, shown: bool) -> None: ...
    def breaks(self) -> None: ...


class Courses:
    """Sections flap among others that stay open; only open ones are listed."""

    watch = "soc:92025:NB"

    def __init__(self) -> None:
        self.world = SocWorld()
        self.groups = {f"92025|NB|{index}": index for index in ("00001", "00002")}
        for index in ("00011", "00012", "00013"):
            self.world.opens("92025", "NB", index)

    def rig(self, dsn: str, clock: FakeClock) -> AbstractAsyncContextManager[Rig]:
        return soc_rig(dsn, clock, self.world, pace=NO_PAUSE)

    def show(self, key: str, shown: bool) -> None:
        self.world.sections["92025", "NB"][key.rpartition("|")[2]] = shown

    def breaks(self) -> None:
        self.world.faults.script.append(Fault.SERVER_ERROR)


class Camps:
    """Sites of one loop flap, some listed as reserved and some not listed; a site of another loop stays open."""

    watch = f"camps:{PARK['park']}_{PARK['month']}"

    def __init__(self, rules: Rules) -> None:
        self.world = JsonWorld()
        self._rules = rules
        for number in range(40):
            self.world.opens(PARK["park"], f"{number}")
        sites = self.world.document(PARK["park"], PARK["month"], None)["campsites"]
        mates = [site for site in sites if site["loop"] == sites[0]["loop"]][:3]
        stays = next(site for site in sites if site["loop"] != sites[0]["loop"])
        self.world.parks[PARK["park"]] = {stays["id"]: True}
        self.groups = {f"{site['id']}|{site['date']}": site["loop"] for site in mates}

    def rig(self, dsn: str, clock: FakeClock) -> AbstractAsyncContextManager[Rig]:
        rules = self._rules
        policy = Policy(
            open_rule="group_from_zero" if rules.group_from_zero else "each",
            misses_to_close=rules.misses,
            dedupe_s=int(rules.dedupe_s),
            close_clears_dedupe=rules.close_clears,
        )
        return json_rig(dsn, clock, self.world, pace=NO_PAUSE, policy=policy)

    def show(self, key: str, shown: bool) -> None:
        site = key.partition("|")[0]
        if shown:
            self.world.opens(PARK["park"], site)
        elif int(site) % 2:
            self.world.vanishes(PARK["park"], site)
        else:
            self.world.parks[PARK["park"]][site] = False

    def breaks(self) -> None:
        self.world.faults.script.append(Fault.SERVER_ERROR)


def stage_of(rules: Rules) -> Stage:
    return Courses() if rules is SOC else Camps(rules)


@dataclass(frozen=True)
class Step:
    """Half a minute: what the provider shows by then, how it is looked at, and whether notices go out after."""

    shown: frozenset[str]
    look: Literal["poll", "broken", "baseline"]
    delivers: bool


def script(seed: int, keys: Iterable[str]) -> list[Step]:
    """Two hours of flapping."""
    chance = random.Random(seed)
    shown: frozenset[str] = frozenset()
    steps: list[Step] = []
    for _ in range(TWO_HOURS_S // STEP_S):
        shown ^= {key for key in keys if chance.random() < 0.25}
        look = chance.choices(("poll", "broken", "baseline"), (86, 6, 8))[0]
        steps.append(Step(shown, look, chance.random() < 0.5))
    return steps


def witness(person: Person, step: Step, number: int, groups: dict[str, str]) -> None:
    """The oracle lives through a step."""
    if step.look == "poll":
        person.looked(number * STEP_S, groups, step.shown)
    elif step.look == "baseline":
        person.refreshed(groups, step.shown)
    if step.delivers:
        person.delivered()


async def live(rig: Rig, stage: Stage, step: Step) -> None:
    """The product lives through it: over HTTP, through detection, fan-out and delivery."""
    rig.clock.advance(STEP_S)
    for key in stage.groups:
        stage.show(key, key in step.shown)
    if step.look == "broken":
        stage.breaks()
    looked = await rig.parts.poller.poll_now(stage.watch, quietly=step.look == "baseline")
    assert (looked.outcome == "failed") == (step.look == "broken")
    await rig.parts.notify.fan_out.run_once()
    if step.delivers:
        await rig.parts.notify.deliver.drain()


def announced(receiver: Receiver, path: str) -> list[str]:
    """The slots that were announced there."""
    return [json.loads(hook.body)["data"]["slot_key"] for hook in receiver.hooks if hook.path == path]


@pytest.mark.timeout(240)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rules", [SOC, JSON, FROM_ZERO], ids=["soc", "json", "from_zero"])
async def test_what_is_polled_gives_exactly_the_notices_of_the_oracle(
    dsn: str, clock: FakeClock, rules: Rules, seed: int
) -> None:
    stage, person = stage_of(rules), Person(rules)
    async with stage.rig(dsn, clock) as rig, receiving() as receiver:
        await rig.parts.poller.poll_now(stage.watch)
        one = next(iter(stage.groups))
        provider = stage.watch.partition(":")[0]
        for topic, path in ((f"watch:{stage.watch}", "all"), (f"slot:{provider}:{one}", "one")):
            await rig.parts.notify.subscribe.subscribe(Wish(topic, "webhook", f"{receiver.url}/{path}"))
        for number, step in enumerate(script(seed, stage.groups)):
            await live(rig, stage, step)
            witness(person, step, number, stage.groups)
            assert len(announced(receiver, "/all")) == len(person.told), f"step {number}"
        assert Counter(announced(receiver, "/all")) == Counter(person.told)
        assert announced(receiver, "/one") == [key for key in person.told if key == one]
        assert len(await rig.openings()) == person.openings
    assert len(person.told) >= 5


def test_the_oracle_without_the_last_known_status_would_not_agree() -> None:
    """The control: each rule changes the numbers of the scripts above, so a product without it is found out."""
    groups = Camps(JSON).groups

    def count(rules: Rules, *, remembers: bool = True) -> list[int]:
        people = [Person(rules, remembers) for _ in SEEDS]
        for seed, person in zip(SEEDS, people, strict=True):
            for number, step in enumerate(script(seed, groups)):
                witness(person, step, number, groups)
        return [len(person.told) for person in people]

    usual = count(JSON)
    assert count(JSON, remembers=False) != usual
    assert count(replace(JSON, misses=2)) != usual
    assert count(replace(JSON, dedupe_s=0)) != usual
    assert count(replace(JSON, close_clears=True)) != usual
    assert count(replace(JSON, group_from_zero=True)) != usual
