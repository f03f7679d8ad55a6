"""Two `dibs worker` processes on one database: every item once, and a dead worker's item after its lease."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from aiohttp import web

from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Config, load
from dibs.parts import Parts
from dibs.sim.server import SimServer
from process_harness import Process, until, write_config

WATCHES = 40
TIMEOUT_S = 5.0
LEASE_S = TIMEOUT_S + 10  # the contract: a poll's lease is its timeout plus 10 s


async def add_watches(dsn: str, config: Config, parks: list[str]) -> None:
    async with parts_on(dsn, config, SystemClock()) as parts:
        for park in parks:
            await parts.watches.add("parks", {"park": park})


async def polled(parts: Parts) -> int:
    async with parts.db.connection() as connection:
        cursor = await connection.execute("SELECT count(*) FROM watch WHERE last_good_at IS NOT NULL")
        row = await cursor.fetchone()
    return row[0] if row else 0


@pytest.mark.timeout(400)
async def test_two_workers_handle_each_due_item_once(dsn: str, tmp_path: Path) -> None:
    async def answer(request: web.Request) -> web.Response:
        await asyncio.sleep(0.02)
        return web.json_response({"sites": [{"id": "1"}]})

    async with SimServer({("GET", "/{park}"): answer}).running() as provider:
        file = write_config(tmp_path, provider.url, dsn=dsn, interval_s=3600)
        config = load(file)
        parks = [f"park{number}" for number in range(WATCHES)]
        await add_watches(dsn, config, parks)
        async with Process(file, "worker"), Process(file, "worker"), parts_on(dsn, config, SystemClock()) as parts:

            async def all_polled() -> bool:
                return await polled(parts) == WATCHES

            await until(all_polled, "every watch to be polled")
        # Both have drained: whatever they would have asked twice, they have asked.
        assert Counter(entry.path for entry in provider.log.entries) == {f"/{park}": 1 for park in parks}


@pytest.mark.timeout(400)
async def test_a_killed_workers_item_is_taken_over_after_its_lease(dsn: str, tmp_path: Path) -> None:
    asked = asyncio.Event()
    free = asyncio.Event()

    async def answer(request: web.Request) -> web.Response:
        if not asked.is_set():
            asked.set()
            await free.wait()  # the first worker dies while it waits for this
        return web.json_response({"sites": [{"id": "1"}]})

    async with SimServer({("GET", "/{park}"): answer}).running() as provider:
        file = write_config(tmp_path, provider.url, dsn=dsn, interval_s=3600, timeout_s=TIMEOUT_S)
        config = load(file)
        await add_watches(dsn, config, ["cedar"])
        async with Process(file, "worker") as doomed:
            async with asyncio.timeout(100):
                await asked.wait()
            await doomed.kill()
        free.set()
        async with Process(file, "worker"), parts_on(dsn, config, SystemClock()) as parts:

            async def taken_over() -> bool:
                return await polled(parts) == 1

            await until(taken_over, "the item to be handled by the other worker")
        first, second = provider.log.entries
        assert second.started - first.started >= LEASE_S - 1, "taken while the lease was live"
