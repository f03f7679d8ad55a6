"""Schedules: each due tick once among all processes, the first after an interval, a missed one once."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from dibs.clock import FakeClock
from dibs.parts import Parts
from dibs.signals.schedule import LEASE_S, Schedule
from signals_harness import put, run_sql

CADENCES = {"fast": 10.0, "slow": 60.0}


def schedule(parts: Parts, cadences: dict[str, float] | None = None) -> Schedule:
    return Schedule(parts.db, parts.clock, parts.worker, cadences or CADENCES)


async def drain(runner: Schedule) -> int:
    """Runs what is due; how many ticks that were."""
    ticks = 0
    while await runner.run_once() == 0:
        ticks += 1
    return ticks


async def ticked(parts: Parts) -> dict[str, object]:
    return dict(await run_sql(parts.db, "SELECT cadence_id, last_tick_at FROM cadence ORDER BY cadence_id"))


async def test_the_first_tick_comes_one_interval_after_the_start(parts: Parts, clock: FakeClock) -> None:
    runner = schedule(parts)
    assert await runner.run_once() == 10.0
    clock.advance(9.99)
    assert await drain(runner) == 0
    clock.advance(0.01)
    assert await drain(runner) == 1
    assert await ticked(parts) == {"fast": clock.now(), "slow": None}


async def test_a_missed_tick_runs_once_and_the_rhythm_stays(parts: Parts, clock: FakeClock) -> None:
    runner = schedule(parts)
    start = clock.now()
    await runner.run_once()
    clock.advance(65)
    assert await drain(runner) == 2
    rows = await run_sql(parts.db, "SELECT cadence_id, due_at FROM cadence ORDER BY cadence_id")
    assert dict(rows) == {"fast": start + timedelta(seconds=70), "slow": start + timedelta(seconds=120)}


async def test_a_restart_keeps_the_rhythm(parts: Parts, clock: FakeClock) -> None:
    await schedule(parts).run_once()
    clock.advance(6)
    again = schedule(parts)
    assert await again.run_once() == 4.0


async def test_a_new_interval_starts_anew(parts: Parts, clock: FakeClock) -> None:
    await schedule(parts).run_once()
    clock.advance(6)
    assert await schedule(parts, {"fast": 5.0, "slow": 60.0}).run_once() == 5.0


async def test_many_processes_run_a_due_tick_once(parts: Parts, clock: FakeClock) -> None:
    runners = [schedule(parts) for _ in range(6)]
    for runner in runners:
        await runner.run_once()
    clock.advance(10)
    results = await asyncio.gather(*(runner.run_once() for runner in runners))
    assert results.count(0.0) == 1


async def test_a_tick_whose_worker_died_runs_again_after_its_lease(parts: Parts, clock: FakeClock) -> None:
    runner = schedule(parts)
    await runner.run_once()
    clock.advance(10)
    until = clock.now() + timedelta(seconds=LEASE_S)
    await run_sql(
        parts.db,
        "UPDATE cadence SET lease_token = gen_random_uuid(), lease_until = %s WHERE cadence_id = 'fast'",
        [until],
    )
    assert await drain(runner) == 0
    clock.set(until)
    assert await drain(runner) == 2


async def test_a_schedule_that_left_the_configuration_runs_while_a_product_needs_it(parts: Parts) -> None:
    await put(parts)
    await schedule(parts, {"5min": 300.0, "old": 10.0}).run_once()
    await schedule(parts, {"other": 60.0}).run_once()
    rows = await run_sql(parts.db, "SELECT cadence_id FROM cadence ORDER BY cadence_id")
    assert rows == [("5min",), ("other",)]
