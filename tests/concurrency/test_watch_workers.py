"""Several processes on one provider: the pace holds as measured at the provider, and every opening is one."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dibs.app import parts_on
from dibs.clock import FakeClock, SystemClock
from dibs.config import Cadence, Config
from dibs.config.sections import Http
from dibs.sim.faults import Fault
from dibs.sim.json_world import SLOTS, JsonWorld, provider_url
from dibs.sim.server import Asked
from watch_harness import json_provider, rig

LANES = 3
GAP_S = 0.06
WORKERS = 4
REQUESTS = 80


def fits(entries: list[Asked], lanes: int, gap_s: float) -> bool:
    """Whether the requests can be laid into `lanes`, each resting `gap_s` after a request ends."""
    free = [float("-inf")] * lanes
    for entry in sorted(entries, key=lambda one: one.started):
        rested = [lane for lane in range(lanes) if free[lane] <= entry.started]
        if not rested or entry.ended is None:
            return False
        # The lane that was free last leaves the others for those that come sooner.
        free[max(rested, key=lambda lane: free[lane])] = entry.ended + gap_s
    return True


def test_the_measure_can_fail():
    """The control: a request too many at once, or one too soon, is noticed."""
    good = [Asked("/", 0.0, 0.1), Asked("/", 0.05, 0.2), Asked("/", 0.2, 0.3)]
    assert fits(good, 2, 0.1)
    assert not fits(good, 1, 0.1)
    assert not fits(good, 2, 0.15)


@asynccontextmanager
async def workers(config: Path) -> AsyncIterator[None]:
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "dibs", "worker", "--config", str(config),
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )
        for _ in range(WORKERS)
    ]  # fmt: skip
    try:
        yield
    finally:
        for process in started:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
        await asyncio.gather(*(process.wait() for process in started))


@pytest.mark.timeout(240)
async def test_four_processes_keep_the_pace(dsn: str, tmp_path: Path):
    world = JsonWorld(conditional=False)
    world.faults.always, world.faults.slow_s = Fault.SLOW, 0.03
    async with world.serving() as server:
        provider = json_provider(server)
        own = Config(http=Http(allow_private_targets=True), providers={"camps": provider})
        async with parts_on(dsn, own, SystemClock()) as parts:
            for number in range(12):
                await parts.watches.add("camps", {"park": f"p{number}", "month": "2026-07"})
        file = tmp_path / "dibs.toml"
        file.write_text(
            f"""
data_dir = "{tmp_path}"
[database]
url = "{dsn}"
[http]
allow_private_targets = true
[providers.camps]
kind = "json"
url = "{provider_url(server.url)}"
slots = "{SLOTS}"
[providers.camps.cadence]
interval_s = 0.05
jitter = 0.0
[providers.camps.pace]
workers = {LANES}
gap_ms = {GAP_S * 1000:.0f}
""",
            encoding="utf-8",
        )
        async with workers(file), asyncio.timeout(180):
            while len(server.log.entries) < REQUESTS:
                await asyncio.sleep(0.05)
        assert server.log.most_in_flight <= LANES
        assert fits([entry for entry in server.log.entries if entry.ended], LANES, GAP_S)


async def test_many_pollers_of_one_watch_announce_once(dsn: str, clock: FakeClock):
    """Two sets of parts, as in two processes, poll everything at once, again and again."""
    world = JsonWorld()
    world.fill("yosemite", 20, share_open=0.5)
    async with world.serving() as server:
        provider = json_provider(server, cadence=Cadence(interval_s=15, jitter=0))
        async with (
            rig(dsn, clock, server, {"camps": provider}) as first,
            rig(dsn, clock, server, {"camps": provider}) as second,
        ):
            await first.parts.watches.add("camps", {"park": "yosemite", "month": "2026-07"})
            await first.poll()
            known, expected = world.open_sites("yosemite"), 0
            for _ in range(5):
                world.fill("yosemite", 20, share_open=0.5)
                expected += len(world.open_sites("yosemite") - known)
                known = world.open_sites("yosemite")
                clock.advance(200)
                polled = await asyncio.gather(first.poll(), second.poll())
                assert sum(map(len, polled)) == 1
            assert expected > 0
            assert len(await first.openings()) == expected
