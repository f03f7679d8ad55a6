"""Every change marks its signal in its own transaction, whoever makes it; an estimate clears what it has seen."""

from __future__ import annotations

import psycopg
import pytest

from dibs.parts import Parts
from dibs.signals.allocate import allocate
from dibs.signals.release import release
from signals_harness import DAY, KEY, differing, plan, put, run_sql, signal_of, tick_now

RAW = {
    "insert an allocation": "INSERT INTO allocation (product_no, date, reference, quantity) "
    "SELECT product_no, '2026-03-12', 'raw', 2 FROM product",
    "change an allocation": "UPDATE allocation SET quantity = 5",
    "release an allocation": "UPDATE allocation SET released_at = clock_timestamp()",
    "delete an allocation": "DELETE FROM allocation",
    "change the sum": "UPDATE product_date SET allocated = 9 WHERE date = '2026-03-12'",
    "change the capacity": "UPDATE product_date SET capacity = 99 WHERE date = '2026-03-12'",
    "change the tiers": "UPDATE product SET tiers_down = '{all}', cuts_down = '{-1}'",
    "cut the range": "UPDATE product SET range_end = '2026-03-11'",
}


@pytest.mark.parametrize("statement", RAW.values(), ids=RAW.keys())
async def test_raw_sql_marks_the_signal(parts: Parts, statement: str) -> None:
    await put(parts)
    await allocate(parts.db, parts.clock, KEY, DAY, reference="r1", quantity=3)
    await tick_now(parts)
    assert (await signal_of(parts.db))["dirty"] is False
    await run_sql(parts.db, statement)
    assert (await signal_of(parts.db))["dirty"] is True
    await tick_now(parts)
    assert (await signal_of(parts.db))["dirty"] is False
    assert await differing(parts.db) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE product_date SET seeded_at = clock_timestamp()",
        "UPDATE product SET name = 'Another'",
        "UPDATE allocation SET allocated_at = clock_timestamp()",
    ],
)
async def test_what_changes_no_availability_marks_nothing(parts: Parts, statement: str) -> None:
    await put(parts)
    await allocate(parts.db, parts.clock, KEY, DAY, reference="r1", quantity=3)
    await tick_now(parts)
    await run_sql(parts.db, statement)
    assert (await signal_of(parts.db))["dirty"] is False


async def test_a_change_that_is_rolled_back_leaves_no_mark(parts: Parts) -> None:
    await put(parts)
    async with parts.db.connection() as connection, connection.transaction(force_rollback=True):
        await connection.execute(b"UPDATE product_date SET capacity = 1")
    assert (await signal_of(parts.db))["dirty"] is False


async def test_an_allocation_moved_to_another_date_counts_on_both(parts: Parts) -> None:
    await put(parts)
    await allocate(parts.db, parts.clock, KEY, DAY, reference="r1", quantity=3)
    await tick_now(parts)
    await run_sql(parts.db, "UPDATE allocation SET date = date + 1")
    assert (await tick_now(parts)).changed == 2
    rows = await run_sql(parts.db, "SELECT date, allocated FROM product_date WHERE allocated > 0")
    assert [(day.day, allocated) for day, allocated in rows] == [(13, 3)]


async def test_the_flag_cannot_disagree_with_the_counters(parts: Parts) -> None:
    await put(parts)
    with pytest.raises(psycopg.errors.GeneratedAlways):
        await run_sql(parts.db, "UPDATE availability_signal SET dirty = false")
    with pytest.raises(psycopg.errors.CheckViolation):
        await run_sql(parts.db, "UPDATE availability_signal SET seen = changes + 1")


async def test_a_change_during_the_estimate_leaves_the_signal_dirty(parts: Parts) -> None:
    """The tick has read counter and truth and waits for the row; the change commits; the tick writes."""
    await put(parts)
    await allocate(parts.db, parts.clock, KEY, DAY, reference="r1", quantity=3)
    async with parts.db.connection() as tick_side, tick_side.transaction():
        seen = (await signal_of(parts.db))["changes"]
        await allocate(parts.db, parts.clock, KEY, DAY, reference="r2", quantity=1)
        await tick_side.execute(
            b"UPDATE availability_signal SET available = 7, seen = %s WHERE date = %s AND seen < %s", [seen, DAY, seen]
        )
    signal = await signal_of(parts.db)
    assert (signal["available"], signal["dirty"]) == (7, True)
    await tick_now(parts)
    signal = await signal_of(parts.db)
    assert (signal["available"], signal["dirty"]) == (6, False)


async def test_one_hot_date_costs_one_dirty_signal(parts: Parts) -> None:
    await put(parts, plan(capacity=1000))
    for number in range(40):
        await allocate(parts.db, parts.clock, KEY, DAY, reference=f"r{number}", quantity=1)
    for number in range(10):
        await release(parts.db, parts.clock, KEY, DAY, reference=f"r{number}")
    assert (await signal_of(parts.db))["changes"] == 50
    done = await tick_now(parts)
    assert (done.checked, done.estimated, done.changed, done.skipped) == (1, 1, 1, 0)
    assert (await signal_of(parts.db))["available"] == 970
