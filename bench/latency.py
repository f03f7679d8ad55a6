"""`latency`: from a change at the provider to the event at a reader of the stream; 100 watches every second.

`dibs serve` runs in a process of its own with its default loops; the provider and the reader are here. Beside
p50 and p99 stands what an ideal poller would need: half an interval on average, a whole one at worst.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from bench.harness import Bench, Result
from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Cadence, Config, JsonProvider
from dibs.config.sections import Http
from dibs.sim.json_world import SLOTS, JsonWorld, provider_url

INTERVAL_S = 1.0
WATCHES = 100


async def run(bench: Bench) -> list[Result]:
    samples = bench.sized(400, 40)
    world = JsonWorld()
    for number in range(WATCHES):
        world.fill(f"p{number}", 20)
    async with world.serving() as server:
        provider = JsonProvider(
            url=provider_url(server.url), slots=SLOTS, cadence=Cadence(interval_s=INTERVAL_S, jitter=0)
        )
        config = Config(http=Http(allow_private_targets=True), providers={"camps": provider})
        async with parts_on(bench.dsn, config, SystemClock()) as parts:
            for number in range(WATCHES):
                await parts.watches.add("camps", {"park": f"p{number}", "month": "2026-07"})
        async with _served(bench.dsn, server.url) as address:
            bench.say("waiting for every watch's first look")
            await _all_looked(bench)
            waits = await _measure(world, address, samples)
    p50, p99 = statistics.median(waits), statistics.quantiles(waits, n=100)[98]
    note = f"{WATCHES} watches every {INTERVAL_S:g} s, {len(waits)} changes; floor: the ideal"
    return [
        Result("latency p50", 1000 * p50, "ms", floor=1000 * INTERVAL_S / 2, note=note),
        Result("latency p99", 1000 * p99, "ms", floor=1000 * INTERVAL_S, note=note),
    ]


async def _all_looked(bench: Bench) -> None:
    async with bench.connection() as connection, asyncio.timeout(60):
        while True:
            cursor = await connection.execute(b"SELECT count(*) FROM watch WHERE last_good_at IS NULL")
            if await cursor.fetchone() == (0,):
                return
            await asyncio.sleep(0.1)


async def _measure(world: JsonWorld, address: str, samples: int) -> list[float]:
    changed: dict[str, float] = {}
    waits: list[float] = []
    everything = asyncio.Event()
    connected = asyncio.Event()

    async def read() -> None:
        timeout = aiohttp.ClientTimeout(total=None)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(f"{address}/api/openings/stream") as answer,
        ):
            async for line in answer.content:
                connected.set()
                if line.startswith(b"data: "):
                    site = json.loads(line[6:])["subject"]["id"]
                    if site in changed:
                        waits.append(time.perf_counter() - changed.pop(site))
                        if len(waits) == samples:
                            everything.set()

    reader = asyncio.create_task(read())
    dice = random.Random(3)
    try:
        async with asyncio.timeout(120):
            await connected.wait()
            for number in range(samples):
                park = f"p{dice.randrange(WATCHES)}"
                site = f"{park}-new-{number}"
                changed[site] = time.perf_counter()
                world.opens(park, site)
                await asyncio.sleep(dice.uniform(0.01, 0.05))
            await everything.wait()
    finally:
        reader.cancel()
    return waits


@asynccontextmanager
async def _served(dsn: str, upstream: str) -> AsyncIterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "dibs.toml"
        file.write_text(
            f"""
data_dir = "{folder}"
[database]
url = "{dsn}"
[http]
port = 0
allow_private_targets = true
[providers.camps]
kind = "json"
url = "{provider_url(upstream)}"
slots = "{SLOTS}"
[providers.camps.cadence]
interval_s = {INTERVAL_S}
jitter = 0.0
[providers.camps.pace]
gap_ms = 0
[telemetry]
log_level = "warning"
"""
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "dibs", "serve", "--config", str(file), stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        try:
            while True:
                line = (await asyncio.wait_for(process.stdout.readline(), 60)).decode()
                if "ready on " in line:
                    break
                if not line:
                    raise RuntimeError("dibs serve did not start")
            yield line.split("ready on ")[1].strip()
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            await process.wait()
