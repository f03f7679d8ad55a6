"""Ticks: what they find, write, clear and tell; what they leave to others."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from api_client import calling
from dibs.clock import FakeClock
from dibs.errors import NotFound
from dibs.openings import slot_id_of
from dibs.parts import Parts
from dibs.signals.allocate import allocate
from dibs.signals.expire import Expire
from dibs.signals.model import ProductKey
from dibs.signals.read import list_cadences
from dibs.signals.release import release
from signals_harness import (
    CADENCE,
    DAY,
    FIRST,
    KEY,
    LAST,
    differing,
    plan,
    put,
    run_sql,
    signal_of,
    tick_now,
    until_waiting,
)


async def take(parts: Parts, quantity: int, reference: str = "r1") -> None:
    await allocate(parts.db, parts.clock, KEY, DAY, reference=reference, quantity=quantity)


async def give_back(parts: Parts, reference: str = "r1") -> None:
    await release(parts.db, parts.clock, KEY, DAY, reference=reference)


async def test_a_tick_skips_what_is_clean(parts: Parts, clock: FakeClock) -> None:
    await put(parts)
    seeded = await signal_of(parts.db)
    clock.advance(60)
    done = await tick_now(parts)
    assert (done.checked, done.estimated, done.changed, done.skipped) == (0, 0, 0, 0)
    assert await signal_of(parts.db) == seeded


async def test_a_tick_writes_value_time_and_version_and_clears(parts: Parts, clock: FakeClock) -> None:
    await put(parts, plan("tiered"))
    await take(parts, 8)
    clock.advance(60)
    done = await tick_now(parts)
    assert (done.checked, done.estimated, done.changed, done.skipped) == (1, 1, 1, 0)
    signal = await signal_of(parts.db)
    assert (signal["available"], signal["tier"], signal["dirty"], signal["version"]) == (2, "low", False, 2)
    assert signal["last_updated_at"] == clock.now()


async def test_a_new_count_in_the_same_tier_is_no_change(parts: Parts) -> None:
    await put(parts, plan("tiered"))
    await take(parts, 1)
    done = await tick_now(parts)
    assert (done.estimated, done.changed) == (1, 0)
    assert (await signal_of(parts.db))["available"] == 9


async def test_a_tick_touches_only_its_own_cadence(parts: Parts) -> None:
    await put(parts)
    await take(parts, 1)
    assert (await tick_now(parts, "1min")).checked == 0
    assert (await signal_of(parts.db))["dirty"] is True


async def test_small_batches_reach_every_signal_once(parts: Parts) -> None:
    for number in range(3):
        await put(parts, key=ProductKey("parks", "camping", "lake", f"site-{number}"))
    await run_sql(parts.db, "UPDATE product_date SET capacity = 7")
    done = await tick_now(parts, batch=4)
    assert (done.checked, done.estimated, done.changed, done.skipped) == (30, 30, 30, 0)
    assert await differing(parts.db) == []


async def test_an_unknown_cadence_is_not_found(parts: Parts) -> None:
    with pytest.raises(NotFound, match="5min"):
        await tick_now(parts, "hourly")


async def test_a_tick_asked_to_stop_leaves_the_rest_dirty(parts: Parts) -> None:
    await put(parts)
    await run_sql(parts.db, "UPDATE product_date SET capacity = 7")

    async def lost() -> bool:
        return False

    assert (await tick_now(parts, batch=4, keep=lost)).checked == 4
    assert (await tick_now(parts)).checked == 6


async def test_the_last_tick_is_remembered(parts: Parts) -> None:
    await put(parts)
    await take(parts, 1)
    (waiting,) = [one for one in await list_cadences(parts.db, parts.clock) if one.cadence_id == CADENCE] or [None]
    assert waiting is None
    await tick_now(parts)
    (known,) = await list_cadences(parts.db, parts.clock)
    assert (known.cadence_id, known.products, known.dirty) == (CADENCE, 1, 0)
    assert (known.last_tick_at, known.last_checked, known.last_estimated) == (parts.clock.now(), 1, 1)


# What a tick tells the hub.


async def test_seeding_tells_the_hub_what_there_is_without_an_event(parts: Parts) -> None:
    await put(parts)
    async with calling(parts, None) as client:
        assert (await client.get("/api/events")).json()["items"] == []
        slots = (await client.get("/api/slots?provider=signals")).json()["items"]
    assert len(slots) == 10
    assert {slot["watch_key"] for slot in slots} == {"cadence:5min"}


async def test_from_nothing_to_something_is_an_opening(parts: Parts) -> None:
    await put(parts)
    await take(parts, 10)
    await tick_now(parts)
    await give_back(parts)
    await tick_now(parts)
    async with calling(parts, None) as client:
        (opening,) = (await client.get("/api/openings")).json()["items"]
        (closed,) = (await client.get("/api/events?status=Closed")).json()["items"]
    pk = "parks::camping::lake::site-a"
    assert opening["detected_by"] == "signal"
    assert {f"slot:{pk}:2026-03-12", f"group:{pk}", pk, "watch:cadence:5min"} <= set(opening["topics"])
    assert (opening["status_before"], opening["status_after"], opening["seat_delta"]) == ("Closed", "Open", 10)
    assert opening["slot_id"] == slot_id_of("signals", f"{pk}:2026-03-12")
    assert opening["still_open"] is True
    assert opening["payload"]["starts_at"] == "2026-03-12T04:00:00Z"
    assert (closed["status_after"], closed["seat_delta"], closed["reason"]) == ("Closed", -10, "sold_out")


async def test_every_reopening_is_an_opening_of_its_own(parts: Parts) -> None:
    await put(parts)
    for number in range(3):
        await take(parts, 10, f"r{number}")
        await tick_now(parts)
        await give_back(parts, f"r{number}")
        await tick_now(parts)
    rows = await run_sql(parts.db, "SELECT status_after, generation FROM open_event ORDER BY open_event_id")
    assert rows == [("Closed", 0), ("Open", 1), ("Closed", 1), ("Open", 2), ("Closed", 2), ("Open", 3)]
    async with calling(parts, None) as client:
        items = (await client.get("/api/openings?still_open=false")).json()["items"]
    assert [item["still_open"] for item in items] == [True, False, False]


async def test_a_flap_between_two_ticks_is_no_event(parts: Parts) -> None:
    await put(parts)
    await take(parts, 10)
    await give_back(parts)
    await tick_now(parts)
    assert await run_sql(parts.db, "SELECT 1 FROM open_event") == []


async def test_a_withdrawn_date_is_closed_and_seeded_again_it_can_open_again(parts: Parts) -> None:
    await put(parts)
    await put(parts, plan(last=LAST - timedelta(days=1)))
    rows = await run_sql(parts.db, "SELECT status_after, reason FROM open_event")
    assert rows == [("Closed", "out_of_range")]
    await put(parts, plan(capacity=0))
    await put(parts, plan(capacity=5))
    await tick_now(parts)
    last = await run_sql(parts.db, "SELECT status_after FROM open_event WHERE slot_key LIKE %s", [f"%{LAST}"])
    assert last == [("Closed",), ("Open",)]


async def test_an_ended_date_closes_quietly(parts: Parts, clock: FakeClock) -> None:
    await put(parts)
    await take(parts, 10)
    await tick_now(parts)
    await give_back(parts)
    await tick_now(parts)
    events = await run_sql(parts.db, "SELECT count(*) FROM open_event")
    clock.advance(86_400 * 30)
    await Expire(parts.db, clock, days=7).run_once()
    assert await run_sql(parts.db, "SELECT count(*) FROM slot WHERE open") == [(0,)]
    assert await run_sql(parts.db, "SELECT count(*) FROM open_event") == events


# What a tick leaves to others.


async def test_two_ticks_at_once_share_the_work(parts: Parts) -> None:
    await put(parts)
    await run_sql(parts.db, "UPDATE product_date SET capacity = 0")
    ticks = await asyncio.gather(*(tick_now(parts, batch=3) for _ in range(4)))
    assert all(done.estimated + done.skipped == done.checked for done in ticks)
    assert sum(done.estimated for done in ticks) == 10
    assert await differing(parts.db) == []
    assert await run_sql(parts.db, "SELECT count(*) FROM open_event") == [(10,)]


async def test_a_signal_that_a_writer_holds_does_not_hold_up_the_others(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dibs.signals.tick.PATIENCE_S", 0.05)
    await put(parts)
    await run_sql(parts.db, "UPDATE product_date SET capacity = 7")
    async with parts.db.connection() as writer, writer.transaction():
        await writer.execute(b"UPDATE product_date SET capacity = 6 WHERE date = %s", [DAY])
        done = await tick_now(parts)
        assert (done.checked, done.estimated, done.skipped) == (10, 9, 1)
    assert (await signal_of(parts.db))["dirty"] is True
    await tick_now(parts)
    assert await differing(parts.db) == []


async def test_a_tick_waits_a_moment_for_a_signal_that_is_held(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dibs.signals.tick.PATIENCE_S", 30)
    await put(parts)
    await run_sql(parts.db, "UPDATE product_date SET capacity = 7")
    async with parts.db.connection() as writer:
        async with writer.transaction():
            await writer.execute(b"UPDATE product_date SET capacity = 6 WHERE date = %s", [DAY])
            ticking = asyncio.create_task(tick_now(parts))
            await until_waiting(parts.db)
        done = await ticking
    assert (done.checked, done.estimated, done.skipped) == (10, 10, 0)
    assert await differing(parts.db) == []


async def test_dates_that_are_over_are_not_estimated(parts: Parts, clock: FakeClock) -> None:
    await put(parts)
    await take(parts, 1)
    clock.advance(86_400 * 30)
    assert (await tick_now(parts)).checked == 0


# Expiry.


async def test_expired_signals_are_removed_in_batches_after_their_retention(
    parts: Parts, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dibs.signals.expire.BATCH", 4)
    await put(parts)
    expire = Expire(parts.db, clock, days=7)
    assert await expire.run_once() > 0
    clock.set(clock.now().replace(day=15))
    while await expire.run_once() == 0:
        pass
    assert await run_sql(parts.db, "SELECT count(*) FROM availability_signal WHERE ended") == [(5,)]
    clock.advance(86_400 * 30)
    while await expire.run_once() == 0:
        pass
    assert await run_sql(parts.db, "SELECT count(*) FROM availability_signal") == [(0,)]
    assert await run_sql(parts.db, "SELECT count(*) FROM product_date") == [(10,)]
    # What was removed is not missed by whoever changes the date later.
    await run_sql(parts.db, "UPDATE product_date SET capacity = 3 WHERE date = %s", [FIRST])
