"""`fanout`: one event to 100,000 of 1,000,000 subscriptions, against a bare INSERT … SELECT of the same rows.

The floor reads the same subscriptions by the same index and writes the same values into a table with the same
columns, keys and indexes; it decides nothing: no snooze, no cap, nobody who knows already, no verification. Ours is
the whole transaction that settles the event's claim. Both are undone between rounds.
"""

from __future__ import annotations

import statistics
import time

from bench.harness import Bench, Result
from dibs.parts import Parts

TOPIC = "watch:shop:a"
SUBSCRIPTIONS = """
INSERT INTO subscription (topic, channel, address, address_key, locale, status, manage_token_hash, webhook_secret,
                          created_at, updated_at)
SELECT CASE WHEN n % 10 = 0 THEN '{topic}' ELSE 'slot:other:' || n % 50000 END, 'webhook',
       'https://hooks.example/' || n, n::text, 'en', 'active', sha256(n::text::bytea), 'whsec_AAAA', now(), now()
FROM generate_series(1, {count}) AS n
"""
EVENT = """
INSERT INTO open_event (provider, watch_key, slot_id, slot_key, group_key, subject, status_before, status_after,
                        seat_delta, event_at, detected_by, dedupe_key, trace_id, payload, topics, generation, reason)
VALUES ('shop', 'shop:a', 'abc', '1', 'g', '{}', 'Closed', 'Open', 1, now(), 'poll', gen_random_uuid()::text, '', '{}',
        ARRAY['slot:shop:1', 'group:shop:g', 'watch:shop:a'], 1, 'bench')
"""
FLOOR_TABLE = "CREATE TABLE bare (LIKE notification INCLUDING ALL) WITH (fillfactor = 80)"
FLOOR = """
INSERT INTO bare (kind, open_event_id, subscription_id, channel, fanout_status, created_at, expires_at, due_at)
SELECT 'opening', 1, subscription_id, channel, 'pending', now(), now() + interval '1 hour', now()
FROM subscription
WHERE topic = 'watch:shop:a' AND status IN ('pending', 'active')
"""


async def run(bench: Bench) -> list[Result]:
    count = bench.sized(1_000_000, 20_000)
    bench.say(f"storing {count:,} subscriptions")
    await bench.fill(SUBSCRIPTIONS.format(topic=TOPIC, count=count), FLOOR_TABLE)
    rows = count // 10
    async with bench.parts() as parts:
        pairs = [(await _ours(parts, rows), await _floor(parts, rows)) for _ in range(bench.sized(6, 2))]
    value, floor = (statistics.median(column) for column in zip(*pairs[1:], strict=True))
    note = f"{rows:,} notices of one event, {count:,} subscriptions"
    return [Result("fanout", value * 1000, "ms", floor=floor * 1000, at_most=2.0, note=note)]


async def _ours(parts: Parts, rows: int) -> float:
    async with parts.db.transaction() as connection:
        await connection.execute(b"TRUNCATE notification, fanout")
        await connection.execute(b"DELETE FROM open_event")
        await connection.execute(EVENT.encode())
    started = time.perf_counter()
    await parts.notify.fan_out.run_once()
    took = time.perf_counter() - started
    await _check(parts, b"SELECT count(*) FROM notification", rows)
    return took


async def _floor(parts: Parts, rows: int) -> float:
    async with parts.db.transaction() as connection:
        await connection.execute(b"TRUNCATE bare")
    started = time.perf_counter()
    async with parts.db.transaction() as connection:
        await connection.execute(FLOOR.encode())
    took = time.perf_counter() - started
    await _check(parts, b"SELECT count(*) FROM bare", rows)
    return took


async def _check(parts: Parts, query: bytes, rows: int) -> None:
    async with parts.db.connection() as connection:
        assert await (await connection.execute(query)).fetchone() == (rows,)
