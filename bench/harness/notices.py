"""Subscriptions, one event and its notices, for the benchmarks of delivery."""

from __future__ import annotations

import asyncio

from dibs.notify import Notify
from dibs.notify.deliver import CHANNEL
from dibs.parts import Parts

SUBSCRIPTIONS = """
INSERT INTO subscription (topic, channel, address, address_key, locale, status, manage_token_hash, webhook_secret,
                          created_at, updated_at)
SELECT 'watch:shop:a', 'webhook', {address}, n::text, 'en', 'active', sha256(n::text::bytea),
       'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', now(), now()
FROM generate_series(1, {count}) AS n
"""
SLOT = """
INSERT INTO slot (slot_id, provider, slot_key, watch_key, group_key, open, opened_at, last_seen_at, last_event_id)
SELECT 'abc', 'shop', '1', 'shop:a', 'g', true, now(), now(), max(open_event_id) FROM open_event
"""
EVENT = """
INSERT INTO open_event (provider, watch_key, slot_id, slot_key, group_key, subject, status_before, status_after,
                        seat_delta, event_at, detected_by, dedupe_key, trace_id, payload, topics, generation, reason)
VALUES ('shop', 'shop:a', 'abc', '1', 'g', '{"venue_id": "834"}', 'Closed', 'Open', 1, now(), 'poll',
        gen_random_uuid()::text, repeat('0', 32),
        '{"title": "Table for two", "starts_at": "2026-02-28T20:30:00-05:00", "url": "https://shop.example/1"}',
        ARRAY['slot:shop:1', 'group:shop:g', 'watch:shop:a'], 1, 'bench')
"""


async def fresh_notices(parts: Parts, *, fan_out: bool = True) -> None:
    """One event, and a pending notice of it for everybody."""
    async with parts.db.transaction() as connection:
        await connection.execute(b"TRUNCATE notification, fanout, subscription_event")
        await connection.execute(b"DELETE FROM slot")
        await connection.execute(b"DELETE FROM open_event")
        await connection.execute(EVENT.encode())
        await connection.execute(SLOT.encode())
    if fan_out:
        await parts.notify.fan_out.run_once()
    async with parts.db.connection() as connection:
        await connection.execute(b"ANALYZE notification")


async def deliver_all(parts: Parts, notify: Notify) -> None:
    """What the delivery loop does, until nothing waits."""
    rung = parts.wake.subscribe(CHANNEL)
    while True:
        rung.clear()
        wait_s = await notify.deliver.run_once()
        if wait_s >= 1 and not notify.deliver.in_hand:
            break
        if wait_s:
            try:
                await asyncio.wait_for(rung.wait(), min(wait_s, 0.05))
            except TimeoutError:
                continue
    parts.wake.unsubscribe(CHANNEL, rung)


async def check_sent(parts: Parts, count: int) -> None:
    async with parts.db.connection() as connection:
        query = b"SELECT count(*) FROM notification WHERE fanout_status = 'sent'"
        assert await (await connection.execute(query)).fetchone() == (count,)
