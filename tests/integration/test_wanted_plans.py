"""What the statements of `wanted` touch: the places, not their slots; what was seen lately, not everything ever."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from dibs.parts import Parts
from dibs.wanted import ask_store, store

MANY = """
INSERT INTO slot (slot_id, provider, slot_key, watch_key, group_key, starts_at, open, closed_at, last_seen_at, payload)
SELECT md5(n::text), 'resy', n::text, 'resy:x', (n %% 40)::text, now() + n * interval '1 minute', false, now(), now(),
       jsonb_build_object('title', 'Venue ' || n %% 40)
FROM generate_series(1, 20000) AS n;
INSERT INTO collection_request (term, term_key, entity_type, reason, occurrence_count, first_seen_at, last_seen_at,
                                seen_on, seen_counts)
SELECT 'place ' || n, 'place ' || n, 'restaurant', 'unresolved', 9, '2025-01-01', '2026-03-02 12:00Z'::timestamptz
       - n * interval '1 hour', '2026-03-02'::date - n / 24, ARRAY[9]
FROM generate_series(1, 20000) AS n;
INSERT INTO wanted (request_id) SELECT request_id FROM collection_request WHERE request_id %% 2 = 0;
INSERT INTO wanted_ask (request_id, channel, address, address_key, locale, token_hash, subscription_hash, asked_at)
SELECT request_id, 'email', 'a', 'a', 'en', 'x', 'x', now() FROM wanted;
""".replace("%%", "%")


async def fill(parts: Parts) -> None:
    async with parts.db.connection() as connection:
        for statement in MANY.strip().split(";\n"):
            await connection.execute(statement.encode())
        await connection.execute(b"ANALYZE")


async def explain(parts: Parts, statement: bytes, values: dict[str, Any]) -> str:
    async with parts.db.connection() as connection:
        cursor = await connection.execute(b"EXPLAIN " + statement, values)
        return "\n".join(row[0] for row in await cursor.fetchall())


async def test_the_known_places_are_walked_not_their_slots(parts: Parts) -> None:
    await fill(parts)
    shown = await explain(parts, store.sql("list_groups"), {"providers": ["resy", "camps"]})
    assert shown.count(" on slot") == shown.count("using slot_by_group on slot") >= 2, shown
    async with parts.db.connection() as connection:
        found = await store.list_groups(connection, providers=["resy", "camps"])
    assert len(found) == 40
    # The name is that of the slot that starts last.
    assert {one.group_key: one.title for one in found}["7"] == "Venue 7"


async def test_the_rule_looks_at_what_was_seen_within_its_window(parts: Parts) -> None:
    await fill(parts)
    now = parts.clock.now()
    values = {
        "since": now - timedelta(days=7),
        "today": now.date(),
        "window_days": 7,
        "occurrences": 5,
        "now": now,
    }
    shown = await explain(parts, store.sql("raise_wanted"), values)
    assert "collection_request_seen" in shown
    assert "Seq Scan on collection_request" not in shown


async def test_waking_and_listing_touch_only_their_own(parts: Parts) -> None:
    await fill(parts)
    now = parts.clock.now()
    woken = await explain(parts, ask_store.sql("wake_asks"), {"request_id": 8, "now": now})
    assert "wanted_ask_live" in woken
    values = {"today": now.date(), "window_days": 7, "request_ids": None, "status": None, "before": None, "limit": 50}
    listed = await explain(parts, store.sql("list_wanted"), values)
    assert "Seq Scan on wanted_ask" not in listed
    assert "Seq Scan on collection_request" not in listed
