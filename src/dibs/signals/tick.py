"""Brings the dirty signals of a cadence up to date, a batch per transaction."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

import msgspec
import psycopg

from dibs.clock import Clock
from dibs.db import Connection, Database, Keyspace, advisory_lock
from dibs.errors import NotFound
from dibs.signals import signal_store as store
from dibs.signals.announce import announce, read_edges
from dibs.signals.model import Tick
from dibs.signals.signal_store import Estimate, Span
from dibs.telemetry import emit
from dibs.telemetry import events_signals as events
from dibs.telemetry import metrics_signals as metrics

# Large enough that planning and committing are a small part of it, small enough that a writer who meets a signal that
# is just being written waits for some hundredths of a second.
BATCH = 4_000
# How long, in all, a tick waits for signals that somebody held when it came by.
PATIENCE_S = 2.0


@dataclass(slots=True)
class _Count:
    """What a tick has done so far."""

    checked: int = 0
    estimated: int = 0
    changed: int = 0
    passed_over: list[tuple[int, date]] = field(default_factory=list[tuple[int, date]])

    def add(self, done: Estimate) -> None:
        self.checked += done.checked
        self.estimated += done.estimated
        self.changed += done.changed
        self.passed_over += [(number, date.fromisoformat(day)) for number, day in done.passed_over]


async def tick(
    database: Database,
    clock: Clock,
    cadence_id: str,
    cadences: Mapping[str, float],
    *,
    batch: int = BATCH,
    keep: Callable[[], Awaitable[bool]] | None = None,
) -> Tick:
    """One tick; `keep` is asked between batches whether to go on."""
    await _check(database, clock, cadence_id, cadences)
    started = time.perf_counter()
    await _fold(database)
    count = _Count()
    span = Span()
    while True:
        done = await _batch(database, clock, cadence_id, span, batch)
        count.add(done)
        if done.checked < batch or done.last_no is None or done.last_date is None:
            break
        span = msgspec.structs.replace(span, after_no=done.last_no, after_date=done.last_date)
        if keep and not await keep():
            break
    await _wait_for(database, clock, cadence_id, count)
    return await _finish(database, clock, cadence_id, count, time.perf_counter() - started)


async def _check(database: Database, clock: Clock, cadence_id: str, cadences: Mapping[str, float]) -> None:
    async with database.connection() as connection:
        if await store.get_schedule(connection, cadence_id=cadence_id):
            return
        if cadence_id not in cadences:
            raise NotFound(f"There is no cadence {cadence_id!r}; configured are: {', '.join(sorted(cadences))}.")
        await store.put_cadences(connection, intervals={cadence_id: cadences[cadence_id]}, now=clock.now())


async def _fold(database: Database) -> None:
    """Turns the changes of floors into dirty signals. One at a time: who comes second finds them dirty already."""
    async with database.transaction() as connection:
        if await store.has_floor_changes(connection):
            await advisory_lock(connection, Keyspace.CADENCE, "fold")
            await store.fold_floor_changes(connection)


async def _batch(database: Database, clock: Clock, cadence_id: str, span: Span, limit: int) -> Estimate:
    async with database.transaction() as connection:
        return await _estimate(connection, clock, cadence_id, span, limit)


async def _estimate(connection: Connection, clock: Clock, cadence_id: str, span: Span, limit: int) -> Estimate:
    now = clock.now()
    done = await store.estimate(connection, cadence_id=cadence_id, span=span, now=now, limit=limit)
    await announce(connection, read_edges(done.edges), now)
    return done


async def _wait_for(database: Database, clock: Clock, cadence_id: str, count: _Count) -> None:
    """Signals that a writer or another tick held: wait for each, one at a time so that we hold nothing meanwhile."""
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    for number, day in count.passed_over:
        left = deadline - asyncio.get_running_loop().time()
        if left <= 0:
            return
        try:
            async with database.transaction() as connection:
                await store.set_lock_timeout(connection, milliseconds=max(1, int(left * 1000)))
                if not await store.lock_signal(connection, product_no=number, date=day):
                    continue
                alone = Span(number, day - timedelta(days=1), number, day)
                done = await _estimate(connection, clock, cadence_id, alone, 1)
        except psycopg.errors.LockNotAvailable:
            return
        count.estimated += done.estimated
        count.changed += done.changed


async def _finish(database: Database, clock: Clock, cadence_id: str, count: _Count, seconds: float) -> Tick:
    done = Tick(
        cadence=cadence_id,
        checked=count.checked,
        estimated=count.estimated,
        changed=count.changed,
        skipped=count.checked - count.estimated,
    )
    async with database.connection() as connection:
        await store.record_tick(connection, tick=done, seconds=seconds, now=clock.now())
    metrics.TICK_SECONDS.labels(cadence_id).observe(seconds)
    metrics.ESTIMATED.labels(cadence_id).inc(done.estimated)
    metrics.SKIPPED.labels(cadence_id).inc(done.skipped)
    if done.checked:
        emit(events.CADENCE_TICKED, **msgspec.structs.asdict(done), seconds=round(seconds, 3))
    return done
