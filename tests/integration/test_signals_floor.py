"""Products that stand on a restaurant's floor: the floor is the truth, and its changes reach the cache."""

from __future__ import annotations

import asyncio

from api_client import calling
from dibs.parts import Parts
from dibs.signals.allocate import allocate
from dibs.signals.audit import audit
from dibs.signals.model import Floor
from signals_harness import DAY, KEY, URL, body, differing, plan, put, run_sql, signal_of, tick_now, until_waiting

# A floor with one number of free tables per date, in place of the real one.
FAKE_FLOOR = """
CREATE TABLE fake_floor (restaurant text, service_date date, total integer, free integer);
CREATE OR REPLACE FUNCTION floor_truth(restaurant text, service_date date, measure text)
RETURNS TABLE (capacity integer, free integer) LANGUAGE sql STABLE STRICT ROWS 1 AS $$
    SELECT CASE measure WHEN 'tables' THEN total ELSE total * 4 END,
           CASE measure WHEN 'tables' THEN fake_floor.free ELSE fake_floor.free * 4 END
    FROM fake_floor WHERE fake_floor.restaurant = $1 AND fake_floor.service_date = $2
$$;
"""


async def on_floor(parts: Parts, *, restaurant: str = "chez-nous", measure: str = "tables") -> None:
    await run_sql(parts.db, FAKE_FLOOR)
    await run_sql(
        parts.db,
        "INSERT INTO fake_floor SELECT 'chez-nous', day::date, 12, 12 "
        "FROM generate_series('2026-03-10'::timestamp, '2026-03-19', interval '1 day') AS day",
    )
    floor = Floor(restaurant=restaurant, measure="covers" if measure == "covers" else "tables")
    await put(parts, plan("tiered", capacity=0, floor=floor))


async def book(parts: Parts, tables: int) -> None:
    async with parts.db.transaction() as connection:
        await connection.execute(b"UPDATE fake_floor SET free = free - %s WHERE service_date = %s", [tables, DAY])
        await connection.execute(b"SELECT floor_changed('chez-nous', %s)", [DAY])


async def test_a_floor_is_estimated_when_it_is_seeded_and_confirmed_by_the_first_tick(parts: Parts) -> None:
    await on_floor(parts)
    signal = await signal_of(parts.db)
    assert (signal["available"], signal["capacity"], signal["tier"], signal["dirty"]) == (12, 12, "high", True)
    done = await tick_now(parts)
    assert (done.checked, done.changed) == (10, 0)


async def test_a_change_of_the_floor_is_dirty_at_once_and_cached_by_a_tick(parts: Parts) -> None:
    await on_floor(parts, measure="covers")
    await tick_now(parts)
    await book(parts, 10)
    async with calling(parts) as client:
        (item,) = (await client.get(f"{URL}/dates?from={DAY}&to={DAY}")).json()["items"]
        assert (item["available"], item["state"]) == (48, "dirty")
        (dirty,) = (await client.get("/api/signals?cadence=5min&state=dirty")).json()["items"]
        assert dirty["sk"] == str(DAY)
        assert len((await client.get("/api/signals?state=clean")).json()["items"]) == 9
        (listed,) = (await client.get(f"/api/products/parks/dates?from={DAY}&to={DAY}")).json()["items"]
        assert listed["dates"][0]["state"] == "dirty"
    assert await audit(parts.db, parts.clock) == (9, [])
    done = await tick_now(parts)
    assert (done.checked, done.changed) == (1, 1)
    signal = await signal_of(parts.db)
    assert (signal["available"], signal["capacity"], signal["tier"]) == (8, 48, "low")
    assert await audit(parts.db, parts.clock) == (10, [])


async def test_a_rebuilt_floor_counts_for_every_date(parts: Parts) -> None:
    await on_floor(parts)
    await tick_now(parts)
    await run_sql(parts.db, "UPDATE fake_floor SET total = 20, free = 20")
    await run_sql(parts.db, "SELECT floor_changed('chez-nous', NULL)")
    assert (await tick_now(parts)).changed == 0
    assert (await signal_of(parts.db))["available"] == 20
    assert await differing(parts.db) == []


async def test_without_a_floor_there_is_nothing_and_a_reason(parts: Parts) -> None:
    await on_floor(parts, restaurant="elsewhere")
    signal = await signal_of(parts.db)
    assert (signal["available"], signal["tier"], signal["reason"]) == (0, "full", "no_floor")


async def test_a_floor_that_empties_and_fills_is_told_to_the_hub(parts: Parts) -> None:
    await on_floor(parts)
    await tick_now(parts)
    await book(parts, 12)
    await tick_now(parts)
    await book(parts, -1)
    await tick_now(parts)
    rows = await run_sql(parts.db, "SELECT status_after, seat_delta FROM open_event ORDER BY open_event_id")
    assert rows == [("Closed", -12), ("Open", 1)]


async def test_changes_of_one_floor_do_not_wait_for_each_other(parts: Parts) -> None:
    await on_floor(parts)
    async with parts.db.connection() as one, parts.db.connection() as two, one.transaction(), asyncio.timeout(20):
        await one.execute(b"SELECT floor_changed('chez-nous', %s)", [DAY])
        async with two.transaction():
            await two.execute(b"SELECT floor_changed('chez-nous', %s)", [DAY])
    assert await run_sql(parts.db, "SELECT count(*) FROM floor_change") == [(2,)]
    await tick_now(parts)
    assert await run_sql(parts.db, "SELECT count(*) FROM floor_change") == [(0,)]


async def test_a_change_that_commits_after_the_fold_is_still_there_for_the_next_tick(parts: Parts) -> None:
    await on_floor(parts)
    await tick_now(parts)
    async with parts.db.connection() as booking, booking.transaction():
        await booking.execute(b"UPDATE fake_floor SET free = free - 1 WHERE service_date = %s", [DAY])
        await booking.execute(b"SELECT floor_changed('chez-nous', %s)", [DAY])
        assert (await tick_now(parts)).checked == 0
    assert (await tick_now(parts)).checked == 1
    assert await differing(parts.db) == []


async def test_a_tick_waits_for_another_ones_fold(parts: Parts) -> None:
    """The second finds the signals dirty that the first is just marking, instead of nothing."""
    await on_floor(parts)
    await tick_now(parts)
    await book(parts, 1)
    async with parts.db.connection() as other:
        async with other.transaction():
            await other.execute(b"SELECT pg_advisory_xact_lock(%s, hashtext('fold'))", [0xD1B561])
            await other.execute(b"DELETE FROM floor_change")
            await other.execute(b"UPDATE availability_signal SET changes = changes + 1 WHERE date = %s", [DAY])
            ticking = asyncio.create_task(tick_now(parts))
            await until_waiting(parts.db)
        assert (await ticking).estimated == 1
    assert await differing(parts.db) == []


async def test_nothing_is_allocated_on_a_floor(parts: Parts) -> None:
    await on_floor(parts)
    async with calling(parts, "staff") as client:
        for path, document in (("allocate", {"quantity": 1, "reference": "r"}),):
            answer = await client.post(f"{URL}/dates/{DAY}/{path}", document)
            assert (answer.status_code, answer.json()["code"]) == (409, "stands_on_floor")
        patched = await client.patch(f"{URL}/dates/{DAY}", {"capacity": 3})
        assert (patched.status_code, patched.json()["code"]) == (409, "stands_on_floor")


async def test_a_product_can_leave_its_floor(parts: Parts) -> None:
    await on_floor(parts)
    async with calling(parts, "staff") as client:
        made = (
            await client.put(URL, body(floor={"restaurant": "chez-nous", "measure": "covers"}, capacity=None))
        ).json()
        assert made["floor"] == {"restaurant": "chez-nous", "measure": "covers"}
        made = (await client.put(URL, body())).json()
        assert made["floor"] is None
    await tick_now(parts)
    assert (await signal_of(parts.db))["available"] == 10
    await allocate(parts.db, parts.clock, KEY, DAY, reference="r", quantity=1)
