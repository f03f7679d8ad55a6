"""`api`: `GET /api/openings` with 100 items and 1,000,000 events stored, against a bare FastAPI route.

The floor is a FastAPI application with one route and a psycopg pool: it reads the 100 newest open events, which
are what the answer is made of, with one query on the same index, and answers the same bytes, which it was given. A
second floor whose query fetches only three of the columns is reported beside it without a target: how wide "one
indexed query" is meant to be is open, and the narrow one is harder to come near. Neither decides anything: no
parameters, no join with what is still open, no encoding, no limits, no metrics. All run in processes of their own
under uvicorn and are asked over as many kept-alive connections, in short turns, because a busy machine changes from
second to second.
"""

from __future__ import annotations

import base64
import statistics
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Response
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from bench.harness import Bench, Result, Served, request_rate
from bench.harness.data import openings
from dibs.api import build_api
from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Config

PATH = "/api/openings?limit=100"
QUERY = """
SELECT {columns} FROM open_event
WHERE status_after = 'Open' ORDER BY event_at DESC, open_event_id DESC LIMIT 100
"""
NARROW = "open_event_id, event_at, payload"
SECONDS = 0.5


async def run(bench: Bench) -> list[Result]:
    events = bench.sized(1_000_000, 5_000)
    bench.say(f"storing {events:,} events")
    await bench.fill(*openings(events, slots=events // 20))
    async with Served.start("bench.api:ours", bench.dsn) as ours:
        _, body = await request_rate(ours, PATH, clients=1, seconds=0)
        assert body.count(b'"open_event_id"') == 100
        packed = base64.b64encode(zlib.compress(body)).decode()
        async with (
            Served.start("bench.api:floor", bench.dsn, packed, "*") as wide,
            Served.start("bench.api:floor", bench.dsn, packed, NARROW) as narrow,
        ):
            turns = [[await _rate(one, body) for one in (ours, wide, narrow)] for _ in range(2 + bench.sized(20, 1))]
    value, wide_rate, narrow_rate = (statistics.median(column) for column in zip(*turns[2:], strict=True))
    note = f"{len(body):,} bytes, {events:,} events, 8 clients"
    return [
        Result("api", value, "requests/s", floor=wide_rate, at_least=0.4, note=note),
        Result("api, floor reads 3 columns", value, "requests/s", floor=narrow_rate, note="no target"),
    ]


async def _rate(served: Served, body: bytes) -> float:
    rate, same = await request_rate(served, PATH, seconds=SECONDS)
    assert len(same) == len(body)
    return rate


@asynccontextmanager
async def ours(dsn: str) -> AsyncIterator[FastAPI]:
    async with parts_on(dsn, Config(), SystemClock()) as parts:
        yield build_api(parts)


@asynccontextmanager
async def floor(dsn: str, packed: str, columns: str) -> AsyncIterator[FastAPI]:
    body = zlib.decompress(base64.b64decode(packed))
    pool: AsyncConnectionPool[AsyncConnection] = AsyncConnectionPool(
        dsn, min_size=8, max_size=16, open=False, kwargs={"autocommit": True, "prepare_threshold": 0}
    )
    query = QUERY.format(columns=columns).encode()
    app = FastAPI()

    @app.get("/api/openings")
    async def bare() -> Response:
        async with pool.connection() as connection:
            cursor = await connection.execute(query)
            await cursor.fetchall()
        return Response(body, media_type="application/json")

    async with pool:
        yield app
