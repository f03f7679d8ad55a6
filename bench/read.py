"""`read`: a month of one product with 1,000,000 signals stored, against a bare FastAPI route.

The floor is a FastAPI application with one route and a psycopg pool: one query on the same index for the same
31 rows, and the same bytes as its answer, which it was given. Ours checks a token, filters what has expired and
computes ages. Both run in a process of their own under uvicorn, over the same kept-alive connections, taking turns.
"""

from __future__ import annotations

import base64
import re
import statistics
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from fastapi import FastAPI, Response
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from bench.harness import Bench, Result, Served, request_rate
from bench.harness.inventory import inventory
from dibs.access import create_token
from dibs.api import build_api
from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Config

QUERY = b"""
SELECT signal.date, signal.available, signal.capacity, signal.tier, signal.last_updated_at, signal.version, signal.dirty
FROM availability_signal AS signal
WHERE signal.product_no = %s AND signal.date BETWEEN %s AND %s
ORDER BY signal.date
"""
AGE = re.compile(rb'"age_s":[0-9.]+')


async def run(bench: Bench) -> list[Result]:
    signals = bench.sized(1_000_000, 5_000)
    bench.say(f"storing {signals:,} signals")
    await bench.fill(*inventory(signals))
    async with bench.parts() as parts:
        token, _ = await create_token(parts.db, parts.clock, name="bench", scope="read")
        first = parts.clock.now().date() + timedelta(days=30)
        last = first + timedelta(days=30)
    headers = {"Authorization": f"Bearer {token}"}
    product = max(1, signals // 365) // 2
    path = f"/api/products/parks/camping/lake/site-{product}/dates?from={first}&to={last}"
    seconds = 0.3 if bench.quick else 3.0
    async with Served.start("bench.read:ours", bench.dsn) as ours:
        _, body = await request_rate(ours, path, clients=1, seconds=0, headers=headers)
        assert body.count(b'"version"') == 31
        packed = base64.b64encode(zlib.compress(body)).decode()
        async with Served.start("bench.read:floor", bench.dsn, packed, str(first), str(last)) as floor:
            rates: list[tuple[float, float]] = []
            for _ in range(1 + bench.sized(5, 1)):  # the first round warms both up
                bare, _ = await request_rate(floor, path, seconds=seconds, headers=headers)
                rate, answer = await request_rate(ours, path, seconds=seconds, headers=headers)
                assert AGE.sub(b"", answer) == AGE.sub(b"", body)
                rates.append((rate, bare))
    value, lowest = (statistics.median(column) for column in zip(*rates[1:], strict=True))
    note = f"{len(body):,} bytes, {signals:,} signals, 8 clients"
    return [Result("read", value, "requests/s", floor=lowest, at_least=0.4, note=note)]


@asynccontextmanager
async def ours(dsn: str) -> AsyncIterator[FastAPI]:
    async with parts_on(dsn, Config(), SystemClock()) as parts:
        yield build_api(parts)


@asynccontextmanager
async def floor(dsn: str, packed: str, first: str, last: str) -> AsyncIterator[FastAPI]:
    body = zlib.decompress(base64.b64decode(packed))
    pool: AsyncConnectionPool[AsyncConnection] = AsyncConnectionPool(
        dsn, min_size=8, max_size=16, open=False, kwargs={"autocommit": True, "prepare_threshold": 0}
    )
    app = FastAPI()

    @app.get("/api/products/{collection}/{kind}/{activity}/{product}/dates")
    async def bare(product: str) -> Response:
        async with pool.connection() as connection:
            cursor = await connection.execute(QUERY, [int(product.removeprefix("site-")), first, last])
            await cursor.fetchall()
        return Response(body, media_type="application/json")

    async with pool:
        yield app
