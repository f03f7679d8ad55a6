"""What the hot statements touch: a tick what is dirty, a read what it shows."""

from __future__ import annotations

from datetime import date
from typing import Any

from dibs.parts import Parts
from dibs.signals import signal_store, store
from signals_harness import KEY, put

MORE = """
INSERT INTO product (collection_id, activity_type, activity_id, product_id, name, timezone, capacity, range_start,
                     range_end, pattern, cadence_id, created_at, updated_at)
SELECT 'big', 't', 'a', 'p' || n, 'P', 'UTC', 5, '2026-03-10', '2026-06-30', '{}', '5min', now(), now()
FROM generate_series(1, 100) AS n;
INSERT INTO product_date (product_no, date, capacity)
SELECT product_no, '2026-03-20'::date + n, 5 FROM product, generate_series(1, 100) AS n;
ANALYZE
"""


async def many_signals(parts: Parts) -> None:
    await put(parts)
    async with parts.db.connection() as connection:
        await connection.execute(MORE.encode())


async def explain(parts: Parts, statement: bytes, values: dict[str, Any]) -> str:
    async with parts.db.connection() as connection:
        cursor = await connection.execute(b"EXPLAIN " + statement, values)
        return "\n".join(row[0] for row in await cursor.fetchall())


async def test_a_tick_looks_only_at_the_index_of_dirty_signals(parts: Parts) -> None:
    await many_signals(parts)
    values = {
        "cadence_id": "5min",
        "after_no": 0,
        "after_date": date.min,
        "upto_no": 2**62,
        "upto_date": date.max,
        "now": parts.clock.now(),
        "limit": 4000,
    }
    shown = await explain(parts, signal_store.sql("estimate"), values)
    assert "Index Scan using availability_signal_dirty" in shown
    assert "Seq Scan on availability_signal" not in shown
    assert "Seq Scan on product_date" not in shown


async def test_a_read_is_one_index_scan_of_the_signals(parts: Parts) -> None:
    await many_signals(parts)
    values = {
        "product_key": str(KEY),
        "first": date(2026, 3, 10),
        "last": date(2026, 3, 31),
        "now": parts.clock.now(),
        "limit": 501,
    }
    shown = await explain(parts, store.sql("list_dates"), values)
    assert shown.count("availability_signal_pkey") == 1
    assert "Seq Scan on availability_signal" not in shown
    assert "product_date" not in shown
