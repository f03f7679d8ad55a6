"""`quote`: POST /api/staff/auto/quote over HTTP by 8 clients, 200 tables, days 70 % full, against the rate of `hold`.

A quote does what a hold does and more: HTTP, the token, reading what is taken, the selector, `next_times`, telemetry.
The floor is the rate at which this process can place bare holds, measured in the same run as in `hold`. The quotes
go over 200 days, so that the days stay about as full as they were; many tokens take turns, because one may have only
200 live holds. The 95th percentile of the answer time is reported beside it and has its own bound.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from fastapi import FastAPI

from bench import hold
from bench.harness import Bench, Result, Served
from bench.harness.floor import FIRST_DAY, SLUG
from dibs.access import create_token
from dibs.api import build_api
from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Config
from dibs.telemetry import configure_logs

CLIENTS = 8
TOKENS = 64
SLOWEST_MS = 50.0


async def run(bench: Bench) -> list[Result]:
    days = bench.sized(200, 20)
    async with bench.parts() as parts:
        await hold.prepare(bench, parts, days)
        created = [await create_token(parts.db, parts.clock, name=f"bench {at}", scope="staff") for at in range(TOKENS)]
        tokens = [secret for secret, _ in created]
        async with Served.start("bench.quote:ours", bench.dsn) as served:
            await _quotes(served, tokens, days, 1.0)
            seconds = 1.0 if bench.quick else 4.0
            rounds = [await _quotes(served, tokens, days, seconds) for _ in range(bench.sized(3, 1))]
        floor, _ = await hold.measure(bench, parts)
    rate = statistics.median(len(times) / seconds for times, _ in rounds)
    times = sorted(one for all_of_round, _ in rounds for one in all_of_round)
    found = sum(held for _, held in rounds) / len(times)
    p95 = 1000 * times[int(len(times) * 0.95)]
    note = f"{CLIENTS} clients, {len(times)} quotes, {found:.0%} held, median {1000 * statistics.median(times):.1f} ms"
    return [
        Result("quote", rate, "quotes/s", floor=floor, at_least=0.25, note=note),
        Result("quote p95", p95, "ms", at_most=SLOWEST_MS),
    ]


@asynccontextmanager
async def ours(dsn: str) -> AsyncIterator[FastAPI]:
    configure_logs("info", "json")
    async with parts_on(dsn, Config(), SystemClock()) as parts:
        yield build_api(parts)


async def _quotes(served: Served, tokens: list[str], days: int, seconds: float) -> tuple[list[float], int]:
    """How long each answer took, and how many of them held tables."""
    end = time.perf_counter() + seconds
    answers = await asyncio.gather(*(_client(served.port, tokens, days, end) for _ in range(CLIENTS)))
    return [one for times, _ in answers for one in times], sum(held for _, held in answers)


async def _client(port: int, tokens: list[str], days: int, end: float) -> tuple[list[float], int]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    times: list[float] = []
    held = 0
    while time.perf_counter() < end:
        request = _request(port, random.choice(tokens), days)
        started = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        body = json.loads(await reader.readexactly(length))
        times.append(time.perf_counter() - started)
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(str(body))
        held += body["hold_id"] is not None
    writer.close()
    await writer.wait_closed()
    return times, held


def _request(port: int, token: str, days: int) -> bytes:
    start = FIRST_DAY + timedelta(days=random.randrange(days), hours=17, minutes=15 * random.randrange(16))
    wanted = {
        "restaurant": SLUG,
        "party_size": random.choice([1, 2, 2, 2, 3, 4, 4, 5, 6, 8, 10]),
        "start_at": start.isoformat(),
        "require_adjacency": random.random() < 0.5,
    }
    body = json.dumps(wanted).encode()
    lines = ["POST /api/staff/auto/quote HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {token}"]
    lines += ["Content-Type: application/json", f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body
