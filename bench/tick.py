"""`tick`: a tick costs what is dirty, not what is stored; and it costs little more than the bare update.

`tick.few`: 100 dirty signals among 1,000,000 against 100 among 10,000, in two databases that take turns. The value is
a time, so the ratio must stay low.

`tick.many`: 100,000 dirty at once, against one bare UPDATE … FROM that computes the same answers from the same
tables and writes the same rows. The tick goes in batches that commit, so that nobody waits for it.
"""

from __future__ import annotations

import statistics
import time

from psycopg import AsyncConnection

from bench.harness import Bench, Result
from bench.harness.bench import clean_database
from bench.harness.inventory import inventory
from dibs.parts import Parts
from dibs.signals.tick import tick

CADENCE = "5min"
FEW = 100
# Spread over the whole table, as bookings are.
PICK = b"""
CREATE TABLE picked AS
SELECT product_no, date FROM product_date ORDER BY hashint8(product_no * 1000 + date_part('doy', date)::bigint) LIMIT %d
"""
MARK = b"""
UPDATE product_date AS inventory SET capacity = CASE inventory.capacity WHEN 10 THEN 3 ELSE 10 END
FROM picked WHERE inventory.product_no = picked.product_no AND inventory.date = picked.date
"""
BARE = b"""
UPDATE availability_signal AS signal
SET available = truth.available, capacity = truth.capacity, tier = truth.tier, reason = truth.reason,
    seen = signal.changes, version = signal.version + 1, last_updated_at = now()
FROM product_date_truth AS truth
WHERE signal.cadence_id = '5min' AND signal.dirty
  AND truth.product_no = signal.product_no AND truth.date = signal.date
"""


async def run(bench: Bench) -> list[Result]:
    small, large = bench.sized(10_000, 1_000), bench.sized(1_000_000, 5_000)
    many = bench.sized(100_000, 2_000)
    bench.say(f"storing {large:,} signals")
    await bench.fill(*inventory(large))
    async with bench.parts() as parts:
        async with clean_database(bench.dsn, "dibs") as other_dsn:
            other = Bench(other_dsn, bench.quick)
            await other.fill(*inventory(small))
            async with other.parts() as other_parts:
                few_large, few_small = await _few((bench, parts), (other, other_parts))
        ticked, bare = await _many(bench, parts, many)
    note = f"{FEW} dirty among {large:,}, against {small:,}"
    more = f"{many:,} dirty at once"
    return [
        Result("tick.few", few_large * 1000, "ms", floor=few_small * 1000, at_most=1.5, note=note),
        Result("tick.many", many / ticked, "signals/s", floor=many / bare, at_least=0.5, note=more),
    ]


async def _few(*sides: tuple[Bench, Parts]) -> list[float]:
    """The median time of a tick on each side; they take turns."""
    for bench, _ in sides:
        await _pick(bench, FEW)
    times: list[list[float]] = [[] for _ in sides]
    for turn in range(4 + sides[0][0].sized(25, 3)):
        for (bench, parts), measured in zip(sides, times, strict=True):
            async with bench.connection() as connection:
                await connection.execute(MARK)
            elapsed = await _timed_tick(parts, FEW)
            if turn >= 4:  # the first ones pay for caches and plans
                measured.append(elapsed)
    return [statistics.median(measured) for measured in times]


async def _many(bench: Bench, parts: Parts, dirty: int) -> tuple[float, float]:
    """Median times of a tick and of the bare update, taking turns."""
    await _pick(bench, dirty)
    ticks: list[float] = []
    bares: list[float] = []
    for _ in range(1 + bench.sized(3, 1)):
        async with bench.connection() as connection:
            await _mark_and_settle(connection)
            started = time.perf_counter()
            cursor = await connection.execute(BARE)
            bares.append(time.perf_counter() - started)
            assert cursor.rowcount == dirty
            await _mark_and_settle(connection)
        ticks.append(await _timed_tick(parts, dirty))
    return statistics.median(ticks[1:]), statistics.median(bares[1:])


async def _pick(bench: Bench, dirty: int) -> None:
    """Chooses which dates will change."""
    async with bench.connection() as connection:
        await connection.execute(b"DROP TABLE IF EXISTS picked")
        await connection.execute(PICK % dirty)
        await connection.execute(b"ANALYZE picked")


async def _mark_and_settle(connection: AsyncConnection) -> None:
    """Makes the picked dates dirty; both sides start from tables without leftovers and a written log."""
    await connection.execute(MARK)
    await connection.execute(b"VACUUM availability_signal, product_date")
    await connection.execute(b"CHECKPOINT")


async def _timed_tick(parts: Parts, dirty: int) -> float:
    started = time.perf_counter()
    done = await tick(parts.db, parts.clock, CADENCE, parts.config.signals.schedule())
    elapsed = time.perf_counter() - started
    assert (done.checked, done.skipped) == (dirty, 0), done
    return elapsed
