"""The numbers of the overview and of the health page, over the real tables."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from dibs.db.measure import measure_database
from dibs.notify.latency import measure_latency
from dibs.openings import (
    NewEvent,
    SlotState,
    count_open_now,
    count_per_hour,
    put_slots,
    record,
    slot_id_of,
    topics_of,
)
from dibs.parts import Parts
from dibs.work import Queue, claim, measure_backlog

ITEMS = Queue(table="item", key="item_id", key_type="int", ready="item.wanted")


async def opens(parts: Parts, key: str, *, provider: str = "shop", is_open: bool = True) -> int:
    now = parts.clock.now()
    slot: dict[str, Any] = {
        "slot_id": slot_id_of(provider, key),
        "provider": provider,
        "slot_key": key,
        "watch_key": f"{provider}:a",
        "group_key": key[0],
        "payload": {"title": key},
        "generation": 1,
    }
    async with parts.db.transaction() as connection:
        state = SlotState(
            **slot,
            starts_at=None,
            open=is_open,
            opened_at=now,
            closed_at=None if is_open else now,
            last_seen_at=now,
            misses=0,
        )
        await put_slots(connection, [state])
        event = NewEvent(
            **slot,
            subject={},
            status_before="Closed",
            status_after="Open",
            seat_delta=1,
            event_at=now,
            detected_by="poll",
            dedupe_key=f"{provider}{key}{now}",
            trace_id="0" * 32,
            topics=topics_of(provider, key, key[0], f"{provider}:a"),
            reason="new",
        )
        return (await record(connection, [event]))[0].open_event_id


async def test_what_is_open_is_counted_by_provider(parts: Parts) -> None:
    assert await count_open_now(parts.db) == []
    await opens(parts, "a1")
    await opens(parts, "a2")
    await opens(parts, "b1", is_open=False)
    await opens(parts, "c1", provider="other")
    counts = {one.provider: (one.slots, one.groups) for one in await count_open_now(parts.db)}
    assert counts == {"shop": (2, 1), "other": (1, 1)}


async def test_openings_are_counted_by_the_hour(parts: Parts) -> None:
    start = parts.clock.now()
    await opens(parts, "a1")
    await opens(parts, "a2")
    parts.clock.advance(3600)  # pyright: ignore[reportAttributeAccessIssue] -- a test's clock is a fake one
    await opens(parts, "a3")
    counts = await count_per_hour(parts.db, since=start)
    assert [(one.hour, one.openings) for one in counts] == [(start, 2), (start + timedelta(hours=1), 1)]
    assert await count_per_hour(parts.db, since=start + timedelta(hours=2)) == []


async def test_a_queue_tells_how_much_waits_and_since_when(parts: Parts) -> None:
    now = parts.clock.now()
    async with parts.db.transaction() as connection:
        await connection.execute(
            "CREATE TABLE item (item_id int PRIMARY KEY, wanted boolean, due_at timestamptz, lease_token uuid,"
            " lease_until timestamptz, leased_by text)"
        )
        empty = await measure_backlog(connection, ITEMS, now=now)
        assert (empty.waiting, empty.held, empty.oldest_due_at) == (0, 0, None)
        await connection.execute(
            "INSERT INTO item VALUES (1, true, %(past)s), (2, true, %(later)s), (3, true, %(future)s),"
            " (4, false, %(past)s), (5, true, NULL)",
            {
                "past": now - timedelta(minutes=9),
                "later": now - timedelta(minutes=1),
                "future": now + timedelta(minutes=1),
            },
        )
        assert (await measure_backlog(connection, ITEMS, now=now)).waiting == 2
        await claim(connection, ITEMS, limit=1, lease_s=60, worker="w", now=now)
        backlog = await measure_backlog(connection, ITEMS, now=now)
        assert (backlog.waiting, backlog.held) == (1, 1)
        assert backlog.oldest_due_at == now - timedelta(minutes=1)
        # A worker that died holds nothing.
        assert (await measure_backlog(connection, ITEMS, now=now + timedelta(minutes=2))).waiting == 3


async def test_latency_is_measured_from_the_opening_to_the_accepted_notice(parts: Parts) -> None:
    start = parts.clock.now()
    assert await measure_latency(parts.db, since=start) == []
    event = await opens(parts, "a1")
    async with parts.db.transaction() as connection:
        for number, (status, seconds) in enumerate((("sent", 1), ("sent", 3), ("sent", 5), ("failed", 100))):
            await connection.execute(
                "INSERT INTO notification (kind, open_event_id, subscription_id, channel, fanout_status, reason,"
                " created_at, expires_at, finished_at) VALUES ('opening', %s, %s, 'webhook', %s, 'x', %s, %s, %s)",
                (event, number, status, start, start, start + timedelta(seconds=seconds)),
            )
    whole, first = await measure_latency(parts.db, since=start)
    assert (whole.at, whole.sent, whole.median_s) == (None, 3, 3.0)
    assert (first.at, first.sent) == (start, 3)
    assert 4.5 < whole.p95_s <= 5.0
    assert await measure_latency(parts.db, since=start + timedelta(hours=1)) == []


async def test_the_database_tells_about_itself(parts: Parts) -> None:
    async with parts.db.connection() as connection:
        facts = await measure_database(connection)
    assert int(facts.version.split(".")[0]) >= 15
    assert facts.bytes > 0
    assert 0 < facts.connections <= facts.most_connections
