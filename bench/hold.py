"""`hold`: holds placed in process by 8 at once, against pgbench running the same statement with 8 clients.

Both call `place_hold` in the database for one table and a second-long window drawn at random, so that no two ever
meet and each call does its whole work: lock, checks, limits, two inserts, a commit that reaches the disk. The ratio
is what a process of ours adds around the statement: the pool, parameters, rows, the retry.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

from bench.harness import Bench, Result
from bench.harness.floor import SLUG, bookings, document
from dibs.capacity import put_floor
from dibs.capacity.model import Sitting, Wanted, Window
from dibs.capacity.quote import place
from dibs.capacity.when import Party
from dibs.parts import Parts

CLIENTS = 8
FIRST = datetime(2030, 1, 1, tzinfo=UTC)
SECONDS = 2_000_000_000
SECOND = timedelta(seconds=1)
SCRIPT = r"""
\set table random(1, {tables})
\set second random(0, {seconds})
\set caller random(1, 1000000)
SELECT hold_id, set_no, zone_id, expires_at
FROM place_hold(
    p_table_ids => ARRAY[(SELECT table_id FROM bench_table WHERE place = :table)],
    p_set_sizes => ARRAY[1],
    p_party_size => 2,
    p_start_at => '2030-01-01Z'::timestamptz + :second * interval '1 s',
    p_end_at => '2030-01-01Z'::timestamptz + (:second + 1) * interval '1 s',
    p_blocked => tstzrange('2030-01-01Z'::timestamptz + :second * interval '1 s',
                           '2030-01-01Z'::timestamptz + (:second + 1) * interval '1 s'),
    p_service_date => ('2030-01-01Z'::timestamptz + :second * interval '1 s')::date,
    p_ttl_s => 180,
    p_held_by => (:caller)::text,
    p_max_per_token => 200,
    p_max_per_booking => 3);
"""


async def run(bench: Bench) -> list[Result]:
    async with bench.parts() as parts:
        await prepare(bench, parts, days=bench.sized(30, 2))
        ours, bare = await measure(bench, parts)
    return [Result("hold", ours, "holds/s", floor=bare, at_least=0.5, note=f"{CLIENTS} at once")]


async def prepare(bench: Bench, parts: Parts, days: int) -> None:
    await put_floor(parts.capacity, SLUG, document())
    bench.say(f"booking 70 % of {days} days")
    await bench.fill(
        *bookings(days),
        "CREATE TABLE bench_table AS SELECT row_number() OVER () AS place, table_id FROM table_inventory",
        "ALTER TABLE bench_table ADD PRIMARY KEY (place)",
    )


async def measure(bench: Bench, parts: Parts) -> tuple[float, float]:
    """Holds per second of ours and of pgbench; the two take turns."""
    seconds = 1.0 if bench.quick else 4.0
    ground = await parts.capacity.ground(SLUG)
    tables = [table.table_id for table in ground.floor.tables]
    script = SCRIPT.format(tables=len(tables), seconds=SECONDS)
    rates: list[tuple[float, float]] = []
    for _ in range(1 + bench.sized(4, 1)):  # the first round warms both up
        bare = await bench.pgbench(script, clients=CLIENTS, seconds=seconds)
        rates.append((await _rate(parts, tables, seconds), bare))
    ours, floors = zip(*rates[1:], strict=True)
    return statistics.median(ours), statistics.median(floors)


async def _rate(parts: Parts, tables: list[UUID], seconds: float) -> float:
    ground = await parts.capacity.ground(SLUG)
    started = time.perf_counter()
    end = started + seconds
    wanted = Wanted(2, 1)

    async def client() -> int:
        held = 0
        while time.perf_counter() < end:
            start = FIRST + random.randrange(SECONDS) * SECOND
            window = Window(start, start + SECOND)
            party = Party(ground, 2, Sitting(window, window, start.date()), None)
            chosen = (random.choice(tables),)
            caller = str(random.randrange(1_000_000))
            await place(parts.capacity, party, wanted, [chosen], held_by=caller, ttl_s=180)
            held += 1
        return held

    counts = await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return sum(counts) / (time.perf_counter() - started)
