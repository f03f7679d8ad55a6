"""What the statements of polling touch: what is due, not what exists."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from dibs.db import Json
from dibs.openings import store as openings_store
from dibs.parts import Parts
from dibs.watch import state_store, store

FILL = """
INSERT INTO provider_pace (provider) VALUES ('camps'), ('resy');
INSERT INTO provider_lane (provider, lane) SELECT provider, lane FROM provider_pace, generate_series(0, 9) AS lane;
INSERT INTO watch (watch_key, provider, bucket_id, query, created_at, due_at)
SELECT 'camps:' || n, 'camps', n::text, '{}', now(), now() + (n - 20) * interval '1 minute'
FROM generate_series(1, 20000) AS n;
INSERT INTO slot (slot_id, provider, slot_key, watch_key, group_key, open, closed_at, last_seen_at, payload)
SELECT md5(n::text), 'camps', n::text, 'camps:' || n % 2000, n::text, false, now(), now(), '{}'
FROM generate_series(1, 40000) AS n;
INSERT INTO watch_slot (watch_key, slot_key, slot_id, group_key)
SELECT 'camps:' || 1 + slot_key::int % 2000, slot_key, slot_id, group_key FROM slot
"""
PACES = [{"provider": "camps", "workers": 10, "degraded_workers": 5}]


async def fill(parts: Parts) -> None:
    async with parts.db.connection() as connection:
        for statement in FILL.strip().split(";\n"):
            await connection.execute(statement.encode())
        await connection.execute(b"ANALYZE")


async def explain(parts: Parts, statement: bytes, values: dict[str, Any]) -> str:
    async with parts.db.connection() as connection:
        cursor = await connection.execute(b"EXPLAIN " + statement, values)
        return "\n".join(row[0] for row in await cursor.fetchall())


def due_values(**more: Any) -> dict[str, Any]:
    return {
        "provider": "camps",
        "workers": 10,
        "degraded_workers": 5,
        "most": 10,
        "token": uuid4(),
        "worker": "test",
        "lease_s": 22.0,
        "now": None,
        **more,
    }


async def test_a_claim_reads_what_is_due_and_no_further(parts: Parts) -> None:
    await fill(parts)
    shown = await explain(parts, store.sql("claim_due"), due_values())
    assert "Seq Scan on watch" not in shown, shown
    (condition,) = [line for line in shown.splitlines() if "Index Cond" in line and "due_at" in line]
    assert "provider" in condition, shown


async def test_looking_ahead_reads_what_is_due_and_the_next(parts: Parts) -> None:
    await fill(parts)
    shown = await explain(parts, store.sql("look_ahead"), {"paces": Json(PACES), "most": 64, "now": None})
    assert "Seq Scan on watch" not in shown, shown
    conditions = [line for line in shown.splitlines() if "Index Cond" in line and "due_at" in line]
    assert len(conditions) == 2, shown


async def test_a_heartbeat_finds_its_watches_by_their_names(parts: Parts) -> None:
    await fill(parts)
    beats = [{"watch_key": f"camps:{n}", "token": str(uuid4()), "lane": n} for n in range(10)]
    values = {"provider": "camps", "beats": Json(beats), "now": None}
    shown = await explain(parts, store.sql("heartbeat"), values)
    assert "watch_pkey" in shown, shown
    assert "Seq Scan on watch" not in shown, shown


async def test_a_look_reads_the_slots_it_saw(parts: Parts) -> None:
    await fill(parts)
    now = parts.clock.now()
    values = {"watch_key": "camps:7", "slot_ids": ["a", "b"], "fresh_after": now}
    shown = await explain(parts, state_store.sql("remember_slots"), values)
    assert "Seq Scan on slot" not in shown, shown
    assert "Seq Scan on watch_slot" not in shown, shown
    shown = await explain(parts, store.sql("list_lone_slots"), {"watch_key": "camps:7"})
    assert "Seq Scan on" not in shown, shown


async def test_the_slots_of_a_watch_are_found_without_reading_all(parts: Parts) -> None:
    await fill(parts)
    values = {"after": None, "watch": "camps:7", "provider": None, "group": None, "open": None, "limit": 101}
    shown = await explain(parts, openings_store.sql("list_slots"), values)
    assert "Seq Scan on slot" not in shown, shown
    assert "Seq Scan on watch_slot" not in shown, shown
    conditions = [line for line in shown.splitlines() if "Index Cond" in line and "slot_id = ANY" in line]
    assert conditions, shown
