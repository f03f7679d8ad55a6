"""`webhook`: 5,000 webhooks to a loopback server, against a bare aiohttp loop posting the same bodies.

The floor posts bodies of the same size to the same server with as many posts in flight, and does nothing else. Ours
claims, decides, records each attempt, encodes, signs, posts, and settles. The server runs in a process of its own,
so that it takes the same from both.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bench.harness import Bench, Result, Served
from bench.harness.notices import SUBSCRIPTIONS, check_sent, deliver_all, fresh_notices
from dibs.config import Config
from dibs.config.sections import Http
from dibs.openings import get_event
from dibs.parts import Parts

IN_FLIGHT = 16


async def run(bench: Bench) -> list[Result]:
    count = bench.sized(5_000, 300)
    config = Config(http=Http(allow_private_targets=True))
    async with Served.start("bench.webhook:receiver", bench.dsn) as server, bench.parts(config) as parts:
        address = f"http://127.0.0.1:{server.port}/hook/"
        await bench.fill(SUBSCRIPTIONS.format(address=f"'{address}' || n", count=count))
        pairs = [
            (await _ours(parts, count), await _floor(address, await _body(parts), count))
            for _ in range(bench.sized(6, 2))
        ]
        await parts.notify.close()
    value, floor = (statistics.median(column) for column in zip(*pairs[1:], strict=True))
    return [Result("webhook", value, "webhooks/s", floor=floor, at_least=0.3, note=f"{count:,} webhooks, one host")]


async def _ours(parts: Parts, count: int) -> float:
    await fresh_notices(parts)
    started = time.perf_counter()
    await deliver_all(parts, parts.notify)
    took = time.perf_counter() - started
    await check_sent(parts, count)
    return count / took


async def _body(parts: Parts) -> bytes:
    """What was posted, made ready."""
    notice = (await parts.notify.notices.list(limit=1))[0]
    event = await get_event(parts.db, notice.open_event_id or 0)
    data = msgspec.structs.replace(event, subscription_id=notice.subscription_id)
    return msgspec.json.encode({"type": "opening.opened", "timestamp": event.event_at, "data": data})


async def _floor(address: str, data: bytes, count: int) -> float:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        gate = asyncio.Semaphore(IN_FLIGHT)

        async def post(number: int) -> None:
            async with gate, session.post(f"{address}{number}", data=data) as answer:
                await answer.read()

        started = time.perf_counter()
        await asyncio.gather(*(post(number) for number in range(count)))
        return count / (time.perf_counter() - started)


@asynccontextmanager
async def receiver(_dsn: str) -> AsyncIterator[Starlette]:
    async def take(request: Request) -> Response:
        await request.body()
        return Response(status_code=204)

    yield Starlette(routes=[Route("/hook/{path:path}", take, methods=["POST"])])
