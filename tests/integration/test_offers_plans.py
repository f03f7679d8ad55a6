"""What the hot statements of the line touch, with many lines, places and offers around them."""

from __future__ import annotations

from typing import Any

from dibs.offers import offer_store, place_store, pool_store
from dibs.parts import Parts
from line_harness import SATURDAY, open_pool
from signals_harness import run_sql

MORE = """
INSERT INTO product (collection_id, activity_type, activity_id, product_id, name, timezone, capacity, range_start,
                     range_end, pattern, cadence_id, created_at, updated_at)
SELECT 'big', 't', 'a', 'p' || n, 'P', 'UTC', 5, '2026-03-10', '2026-06-30', '{}', '5min', now(), now()
FROM generate_series(1, 100) AS n;
INSERT INTO product_date (product_no, date, capacity)
SELECT product_no, '2026-03-20'::date + n, 5 FROM product, generate_series(1, 50) AS n;
INSERT INTO line_place (line_key, product_no, product_key, quantity, earliest_date, latest_date, earliest, latest,
                        until, topic, subscription_id, channel, address_key, rank, status, joined_at, ended_at)
SELECT 'product:' || product_no, product_no, product_key, 1, '2026-03-20', '2026-03-30', '2026-03-20', '2026-03-30',
       '2026-03-31', 'place:' || product_no || ':' || n, n, 'webhook', 'a' || n, n,
       CASE WHEN n % 4 = 0 THEN 'waiting' ELSE 'expired' END, now(), CASE WHEN n % 4 = 0 THEN NULL ELSE now() END
FROM product, generate_series(1, 100) AS n WHERE collection_id = 'big';
INSERT INTO offer (offer_id, place_id, product_no, quantity, slot_id, table_numbers, start_at, end_at, service_date,
                   status, offered_at, expires_at, ended_at)
SELECT gen_random_uuid(), place_id, product_no, 1, 'x', '{}', now(), now(), '2026-03-20', 'lapsed', now(), now(), now()
FROM line_place WHERE product_no IS NOT NULL AND status = 'expired';
INSERT INTO line_check (check_key, product_no, due_at)
SELECT 'product:' || product_no, product_no, NULL FROM product;
ANALYZE
"""


async def plan_of(parts: Parts, statement: bytes, **values: Any) -> str:
    await open_pool(parts)
    async with parts.db.connection() as connection:
        await connection.execute(MORE.encode())
        cursor = await connection.execute(b"EXPLAIN " + statement, values)
        return "\n".join(row[0] for row in await cursor.fetchall())


async def test_the_line_is_one_index_scan_in_its_order(parts: Parts) -> None:
    shown = await plan_of(parts, place_store.sql("list_waiting"), line_key="product:7")
    assert "line_place_order" in shown
    assert "Seq Scan" not in shown


async def test_the_dates_of_a_line_are_read_by_their_key(parts: Parts) -> None:
    values = {"product_no": 7, "first": SATURDAY, "last": SATURDAY, "now": parts.clock.now()}
    shown = await plan_of(parts, pool_store.sql("list_pool_days"), **values)
    assert "product_date_pkey" in shown
    assert "Seq Scan on product_date" not in shown


async def test_an_offer_is_found_by_its_id_and_by_its_place(parts: Parts) -> None:
    shown = await plan_of(parts, offer_store.sql("get_offer"), offer_id="00000000-0000-0000-0000-000000000001")
    assert "offer_pkey" in shown
    assert "Seq Scan on offer" not in shown
    assert "Seq Scan on line_place" not in shown


async def test_whether_anybody_waits_for_a_date_is_one_look_at_an_index(parts: Parts) -> None:
    statement = b"""
        SELECT line_key FROM line_place
        WHERE product_no = 7 AND latest_date >= '2026-03-21' AND earliest_date <= '2026-03-21'
          AND status IN ('waiting', 'offered')
        LIMIT 1"""
    shown = await plan_of(parts, statement)
    assert "Seq Scan" not in shown


async def test_taking_from_a_date_does_not_ask_the_line(parts: Parts) -> None:
    """The hot way: an allocation costs the condition of the trigger and no call of it."""
    pool = await open_pool(parts)
    await pool.join("ann", 1)
    await pool.turn()
    await run_sql(parts.db, "UPDATE product_date SET capacity = 9")
    await pool.turn()
    before = await run_sql(parts.db, "SELECT changes FROM line_check")
    await pool.take("somebody", 1)
    assert await run_sql(parts.db, "SELECT changes FROM line_check") == before
    await pool.free("somebody")
    assert await run_sql(parts.db, "SELECT changes FROM line_check") != before


async def test_a_new_capacity_of_all_dates_marks_the_line_once(parts: Parts) -> None:
    pool = await open_pool(parts)
    await pool.join("ann", 1)
    await pool.turn()
    ((before,),) = await run_sql(parts.db, "SELECT changes FROM line_check")
    await run_sql(parts.db, "UPDATE product_date SET capacity = capacity + 1")
    assert await run_sql(parts.db, "SELECT changes FROM line_check") == [(before + 1,)]
    await run_sql(parts.db, "UPDATE product_date SET capacity = capacity + 1")
    assert await run_sql(parts.db, "SELECT changes FROM line_check") == [(before + 2,)]
