"""The statements of turns."""

from __future__ import annotations

from datetime import datetime

from dibs.db import Connection, execute, fetch_one, statements
from dibs.sources.turn_rule import Standing, Turn

sql = statements(__name__)


async def ensure_turn(connection: Connection, service: str) -> None:
    await execute(connection, sql("ensure_turn"), {"service": service})


async def lock_turn(connection: Connection, service: str, now: datetime | None) -> Standing:
    return await fetch_one(connection, sql("lock_turn"), {"service": service, "now": now}, Standing)


async def save_turn(connection: Connection, service: str, turn: Turn) -> None:
    values = {
        "service": service,
        "next_at": turn.next_at,
        "next_search_at": turn.next_search_at,
        "full_at": turn.full_at,
        "quota_day": turn.quota_day,
        "quota_used": turn.quota_used,
    }
    await execute(connection, sql("save_turn"), values)


async def pause_turns(
    connection: Connection, service: str, *, seconds: float, reason: str, now: datetime | None
) -> None:
    values = {"service": service, "seconds": seconds, "reason": reason, "now": now}
    await execute(connection, sql("pause_turns"), values)
