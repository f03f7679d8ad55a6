"""`poll`: polls per second of 200 watches on 10 KB answers without a gap, against a bare aiohttp loop.

The floor fetches the same bodies from the same server with the same number of requests in flight and throws
them away. Ours claims the watches, keeps the provider's pace, fetches, compares, and writes every heartbeat with
its snapshot.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import msgspec

from bench.harness import Bench, Result, Served
from dibs.config import Cadence, Config, JsonProvider
from dibs.config.sections import Http, Pace
from dibs.watch import PollLoop

WATCHES = 200
IN_FLIGHT = 32
SLOTS = "items[].{id: id, title: name, starts_at: at, open: open}"


@asynccontextmanager
async def upstream() -> AsyncIterator[Any]:
    """A server that costs as little as possible: one prepared body per target."""
    bodies: dict[bytes, bytes] = {}

    async def app(scope: dict[str, Any], _receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        query: bytes = scope["query_string"]
        body = bodies.get(query) or bodies.setdefault(query, _body(query.decode()))
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    yield app


def _body(target: str) -> bytes:
    items = [
        {"id": f"{target}-{n}", "name": f"Site {n} of {target}", "at": f"2026-07-{n % 28 + 1:02d}", "open": True}
        for n in range(145)
    ]
    return msgspec.json.encode({"items": items})


async def run(bench: Bench) -> list[Result]:
    seconds = bench.sized(4, 1)
    async with Served.start("bench.poll:upstream") as served:
        url = f"http://127.0.0.1:{served.port}/?target={{target}}"
        provider = JsonProvider(
            url=url,
            slots=SLOTS,
            cadence=Cadence(interval_s=0.001, jitter=0),
            pace=Pace(workers=IN_FLIGHT, gap_ms=0),
        )
        config = Config(http=Http(allow_private_targets=True), providers={"many": provider})
        async with bench.parts(config) as parts, aiohttp.ClientSession() as session:
            for number in range(WATCHES):
                await parts.watches.add("many", {"target": str(number)})
            while any(result.outcome != "unchanged" for result in await parts.poller.poll_due()):
                pass

            async def ours() -> int:
                before = await _snapshots(bench)
                loop = PollLoop(parts.poller, parts.wake)
                loop.start()
                await asyncio.sleep(seconds)
                await loop.stop()
                return await _snapshots(bench) - before

            async def floor() -> int:
                return await _fetch_all(session, url, seconds)

            value, bare = await bench.compare(ours, floor, rounds=3)
    note = f"{WATCHES} watches, {len(_body('100')) / 1000:.0f} KB, {IN_FLIGHT} in flight"
    return [Result("poll", value, "polls/s", floor=bare, at_least=0.35, note=note)]


async def _snapshots(bench: Bench) -> int:
    async with bench.connection() as connection:
        cursor = await connection.execute(b"SELECT count(*) FROM watch_snapshot")
        row = await cursor.fetchone()
        return row[0] if row else 0


async def _fetch_all(session: aiohttp.ClientSession, url: str, seconds: float) -> int:
    end = asyncio.get_running_loop().time() + seconds

    async def fetch(lane: int) -> int:
        done = 0
        while asyncio.get_running_loop().time() < end:
            async with session.get(url.format(target=(lane + done * IN_FLIGHT) % WATCHES)) as answer:
                await answer.read()
            done += 1
        return done

    return sum(await asyncio.gather(*(fetch(lane) for lane in range(IN_FLIGHT))))
