"""The cache catches up: whatever writers and ticks do to each other, no change is lost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import date, timedelta
from typing import Any

import psycopg
import pytest

from dibs.db import Database
from dibs.errors import Conflict, Unavailable
from dibs.parts import Parts
from dibs.signals import signal_store
from dibs.signals.allocate import allocate
from dibs.signals.audit import audit
from dibs.signals.release import release
from dibs.signals.tick import tick
from signals_harness import (
    CADENCE,
    DAY,
    FIRST,
    KEY,
    differing,
    plan,
    put,
    run_sql,
    signal_of,
    tick_now,
    until_waiting,
)

DATES = [FIRST + timedelta(days=number) for number in range(3)]
WRITERS = 4
CHANGES = 50
TICKERS = 3

# The estimate computes its tiers between reading the counter and writing; there it waits for the test.
PAUSE = """
CREATE OR REPLACE FUNCTION tier_of(tiers_down text[], cuts_down double precision[], available integer, capacity integer)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(42);
    RETURN tiers_down[1];
END $$
"""


def without_the_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    """An estimate that clears whatever is there, as a bare bit would."""
    real: Callable[[str], bytes] = signal_store.sql
    compared, bare = b"seen = held.changes", b"seen = signal.changes"
    assert compared in real("estimate")

    def careless(name: str) -> bytes:
        return real(name).replace(compared, bare)

    monkeypatch.setattr(signal_store, "sql", careless)


async def change_during_an_estimate(parts: Parts) -> None:
    """A tick reads; an allocation commits; the tick writes."""
    await put(parts, plan("tiered"))
    await allocate(parts.db, parts.clock, KEY, DAY, reference="r1", quantity=3)
    await run_sql(parts.db, PAUSE)
    async with parts.db.connection() as test:
        await test.execute(b"SELECT pg_advisory_lock(42)")
        ticking = asyncio.create_task(tick_now(parts))
        await until_waiting(parts.db)
        await allocate(parts.db, parts.clock, KEY, DAY, reference="r2", quantity=1)
        await test.execute(b"SELECT pg_advisory_unlock(42)")
        assert (await ticking).estimated == 1


async def test_a_change_during_an_estimate_leaves_the_signal_dirty(parts: Parts) -> None:
    await change_during_an_estimate(parts)
    signal = await signal_of(parts.db)
    assert (signal["available"], signal["dirty"]) == (7, True)
    await tick_now(parts)
    assert await differing(parts.db) == []
    assert await audit(parts.db, parts.clock) == (10, [])


async def test_without_the_counter_that_change_is_lost(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of the test above, and of the audit: it must see what must never happen."""
    without_the_counter(monkeypatch)
    await change_during_an_estimate(parts)
    assert (await tick_now(parts)).checked == 0
    assert [(row[1], row[2], row[3]) for row in await differing(parts.db)] == [(DAY, 7, 6)]
    _, drifts = await audit(parts.db, parts.clock)
    assert [(drift.date, drift.cached, drift.truth) for drift in drifts] == [(DAY, 7, 6)]


async def test_an_estimate_that_was_overtaken_writes_nothing(parts: Parts) -> None:
    """A tick reads; a change commits and another tick caches it; what the first one read is no longer news."""
    await put(parts, plan("tiered"))
    await allocate(parts.db, parts.clock, KEY, DAY, reference="r1", quantity=3)
    real = await run_sql(parts.db, "SELECT pg_get_functiondef('tier_of'::regproc)")
    await run_sql(parts.db, PAUSE)
    async with parts.db.connection() as test:
        await test.execute(b"SELECT pg_advisory_lock(42)")
        ticking = asyncio.create_task(tick_now(parts))
        await until_waiting(parts.db)
        await run_sql(parts.db, real[0][0])
        await allocate(parts.db, parts.clock, KEY, DAY, reference="r2", quantity=1)
        assert (await tick_now(parts)).estimated == 1
        newer = await signal_of(parts.db)
        await test.execute(b"SELECT pg_advisory_unlock(42)")
        late = await ticking
    assert (late.checked, late.estimated, late.skipped) == (1, 0, 1)
    assert await signal_of(parts.db) == newer


class Writer:
    """Allocates and releases at random, and remembers what it holds."""

    def __init__(self, parts: Parts, number: int) -> None:
        self.parts = parts
        self.random = random.Random(number)
        self.name = f"w{number}"
        self.held: list[tuple[date, str]] = []

    async def run(self) -> None:
        for number in range(CHANGES):
            if self.held and self.random.random() < 0.45:
                day, reference = self.held.pop(self.random.randrange(len(self.held)))
                await release(self.parts.db, self.parts.clock, KEY, day, reference=reference)
                continue
            day, reference = self.random.choice(DATES), f"{self.name}-{number}"
            quantity = self.random.randint(1, 3)
            try:
                await allocate(self.parts.db, self.parts.clock, KEY, day, reference=reference, quantity=quantity)
            except Conflict:
                continue
            self.held.append((day, reference))


async def tick_on(parts: Parts, stopping: asyncio.Event) -> None:
    """Ticks on and on; the loss of its connection is the end of one tick, not of the ticker."""
    # Connections of its own: only ticks are to be killed, not whoever gets their connection next.
    database = Database(parts.db.dsn, size=2)
    await database.open()
    try:
        while not stopping.is_set():
            with suppress(psycopg.OperationalError, Unavailable):
                await tick(database, parts.clock, CADENCE, parts.config.signals.schedule(), batch=2)
    finally:
        await database.close()


async def kill_ticks(parts: Parts, stopping: asyncio.Event) -> None:
    """Ends the connections of estimates that are under way, again and again."""
    victims = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'WITH dirty AS%%'"
    )
    while not stopping.is_set():
        await run_sql(parts.db, victims)
        await asyncio.sleep(0.05)


async def write_at_random(parts: Parts, disturb: Callable[[asyncio.Event], list[Coroutine[Any, Any, None]]]) -> None:
    """Lets writers run to their end beside whatever disturbs them."""
    stopping = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for work in disturb(stopping):
            group.create_task(work)
        try:
            await asyncio.gather(*(Writer(parts, number).run() for number in range(WRITERS)))
        finally:
            stopping.set()


async def test_when_writers_stop_one_tick_brings_the_cache_to_the_truth(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dibs.signals.tick.PATIENCE_S", 30)
    await put(parts, plan("tiered", capacity=12))
    # The order of estimates is part of the promise: what a signal has seen only grows.
    await run_sql(
        parts.db,
        "CREATE FUNCTION only_grows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION 'seen went back'; END $$; "
        "CREATE TRIGGER only_grows BEFORE UPDATE ON availability_signal FOR EACH ROW "
        "WHEN (NEW.seen < OLD.seen) EXECUTE FUNCTION only_grows()",
    )
    await write_at_random(
        parts,
        lambda stopping: [*(tick_on(parts, stopping) for _ in range(TICKERS)), kill_ticks(parts, stopping)],
    )

    await tick_now(parts)

    assert await differing(parts.db) == []
    assert await run_sql(parts.db, "SELECT count(*) FROM availability_signal WHERE dirty") == [(0,)]
    assert await audit(parts.db, parts.clock) == (10, [])
    sums = "SELECT d.date, d.allocated, coalesce(sum(a.quantity) FILTER (WHERE a.released_at IS NULL), 0) "
    rows = await run_sql(
        parts.db, sums + "FROM product_date AS d LEFT JOIN allocation AS a USING (product_no, date) GROUP BY 1, 2"
    )
    assert all(allocated == total <= 12 for _, allocated, total in rows)


async def test_edges_and_events_agree_whatever_happened(parts: Parts) -> None:
    """Open and Closed alternate for every date, and the hub shows what the cache shows."""
    await put(parts, plan(capacity=3, last=DATES[-1]))
    await write_at_random(parts, lambda stopping: [tick_on(parts, stopping) for _ in range(2)])
    await tick_now(parts)
    events = await run_sql(parts.db, "SELECT slot_key, status_after FROM open_event ORDER BY slot_key, open_event_id")
    for day in DATES:
        told = [status for key, status in events if key.endswith(str(day))]
        assert told == (["Closed", "Open"] * len(told))[: len(told)], day
    shown = await run_sql(
        parts.db,
        "SELECT count(*) FROM availability_signal AS signal JOIN slot ON slot.slot_key LIKE '%%:' || signal.date "
        "WHERE slot.open <> (signal.available > 0)",
    )
    assert shown == [(0,)]


async def test_the_same_reference_at_once_is_one_allocation(parts: Parts) -> None:
    await put(parts)
    made = await asyncio.gather(
        *(allocate(parts.db, parts.clock, KEY, DAY, reference="same", quantity=2) for _ in range(8))
    )
    assert len({one.allocated_at for one in made}) == 1
    assert await run_sql(parts.db, "SELECT allocated FROM product_date WHERE date = %s", [DAY]) == [(2,)]
    await asyncio.gather(*(release(parts.db, parts.clock, KEY, DAY, reference="same") for _ in range(8)))
    assert await run_sql(parts.db, "SELECT allocated FROM product_date WHERE date = %s", [DAY]) == [(0,)]


async def test_the_same_reference_at_once_for_all_that_is_left_is_one_allocation(parts: Parts) -> None:
    """Whoever waited for the date finds nothing left, and must not take that for a refusal."""
    await put(parts)
    for round_ in range(8):
        day, reference = DAY + timedelta(days=round_ % 3), f"all-{round_}"
        made = await asyncio.gather(
            *(allocate(parts.db, parts.clock, KEY, day, reference=reference, quantity=10) for _ in range(10))
        )
        assert len({one.allocated_at for one in made}) == 1
        await release(parts.db, parts.clock, KEY, day, reference=reference)


async def test_more_callers_than_places_never_oversell(parts: Parts) -> None:
    await put(parts)
    outcomes = await asyncio.gather(
        *(allocate(parts.db, parts.clock, KEY, DAY, reference=f"r{number}", quantity=3) for number in range(10)),
        return_exceptions=True,
    )
    lost = [one for one in outcomes if isinstance(one, Conflict)]
    assert len(lost) == 7
    assert {one.code for one in lost} == {"insufficient_inventory"}
    assert await run_sql(parts.db, "SELECT allocated FROM product_date WHERE date = %s", [DAY]) == [(9,)]
