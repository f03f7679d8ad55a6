"""No table is ever given twice: four processes, fifty people, one zone. And the proof that this test can fail."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from capacity_harness import floor_document, open_house, overlaps, table
from dibs.db import Database, fetch_value
from dibs.parts import Parts

RACER = Path(__file__).parent.parent / "capacity_racer.py"
PROCESSES = 4
TABLES = 8

# Between looking whether a table is free and claiming it a transaction waits a little, in the race and in its
# control alike: whoever does not hold a lock is overtaken there.
DAWDLE = b"""
CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.002); RETURN NULL; END $$;
CREATE TRIGGER dawdle BEFORE INSERT ON allocations FOR EACH STATEMENT EXECUTE FUNCTION dawdle();
"""
WITHOUT_GUARDS = b"""
ALTER TABLE allocations DROP CONSTRAINT allocations_no_overlap;
CREATE OR REPLACE FUNCTION lock_zone_date(p_table_ids uuid[], p_service_date date) RETURNS void
LANGUAGE sql AS $$ SELECT $$;
"""


async def open_race(parts: Parts, *, guarded: bool) -> None:
    tables = [table(f"T{at}") for at in range(TABLES)]
    pairs = [[f"T{at}", f"T{at + 1}"] for at in range(TABLES - 1)]
    document = floor_document(zones=[{"name": "hall", "tables": tables}], adjacencies=pairs, policy={"max_tables": 3})
    await open_house(parts, document, slug="race")
    async with parts.db.transaction() as connection:
        await connection.execute(DAWDLE)
        if not guarded:
            await connection.execute(WITHOUT_GUARDS)


async def start_racer(dsn: str, seconds: float, seed: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, str(RACER), dsn, "race", str(seconds), str(seed), stdout=asyncio.subprocess.PIPE
    )


async def finish(racers: list[asyncio.subprocess.Process]) -> list[dict[str, Any]]:
    outputs = await asyncio.gather(*(racer.communicate() for racer in racers))
    return [json.loads(out) for out, _ in outputs]


async def doubled(db: Database) -> int:
    async with db.connection() as connection:
        return len(await overlaps(connection))


@pytest.mark.timeout(180)
async def test_no_table_is_given_twice(parts: Parts, dsn: str) -> None:
    await open_race(parts, guarded=True)
    racers = [await start_racer(dsn, 4, seed) for seed in range(PROCESSES)]
    finished = asyncio.create_task(finish(racers))
    looks = 0
    while not finished.done():
        assert await doubled(parts.db) == 0
        looks += 1
        await asyncio.wait({finished}, timeout=0.2)
    reports = await finished
    assert await doubled(parts.db) == 0
    assert looks > 1
    assert [report["unexplained"] for report in reports] == [[]] * PROCESSES
    seen: Counter[str] = Counter()
    for report in reports:
        seen.update(report["outcomes"])
    # The race was one: each kind of thing happened, and some were lost.
    for outcome in ("quotes", "confirms", "assigns", "cancels", "sweeps", "assigns: capacity_conflict"):
        assert seen[outcome] > 0, seen
    await every_claim_is_of_something_live(parts.db)


async def every_claim_is_of_something_live(db: Database) -> None:
    async with db.connection() as connection:
        orphans = await fetch_value(
            connection,
            b"""
            SELECT count(*) FROM allocations AS claim
            LEFT JOIN bookings AS booking USING (booking_id)
            LEFT JOIN table_holds AS hold ON hold.hold_id = claim.hold_id
            WHERE booking.status NOT IN ('confirmed', 'seated') OR hold.status <> 'held'
            """,
        )
        bare = await fetch_value(
            connection,
            b"""
            SELECT count(*) FROM bookings AS booking
            WHERE status = 'confirmed'
              AND booking.party_size > coalesce((
                  SELECT sum(capacity) FROM allocations JOIN table_inventory USING (table_id)
                  WHERE booking_id = booking.booking_id), 0)
            """,
        )
    assert (orphans, bare) == (0, 0)


@pytest.mark.timeout(180)
async def test_without_constraint_and_lock_the_same_race_gives_tables_twice(parts: Parts, dsn: str) -> None:
    """The control: a race that could not be lost would prove nothing."""
    await open_race(parts, guarded=False)
    racers = [await start_racer(dsn, 60, seed) for seed in range(PROCESSES)]
    until = time.monotonic() + 90
    try:
        found = 0
        while not found and time.monotonic() < until:
            found = await doubled(parts.db)
            await asyncio.sleep(0.1)
        assert found > 0
    finally:
        for racer in racers:
            if racer.returncode is None:
                racer.kill()
        await asyncio.gather(*(racer.communicate() for racer in racers))
