"""The statements about people who asked."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from dibs.db import Connection, execute, fetch_maybe, fetch_value, statements
from dibs.wanted.model import AskView

sql = statements(__name__)


async def wake_asks(connection: Connection, *, request_id: int, now: datetime) -> int:
    return await execute(connection, sql("wake_asks"), {"request_id": request_id, "now": now})


async def find_live_ask(connection: Connection, *, request_id: int, channel: str, address_key: str) -> int | None:
    values = {"request_id": request_id, "channel": channel, "address_key": address_key}
    row = await fetch_maybe(connection, sql("find_live_ask"), values)
    return row["ask_id"] if row else None


async def count_asks(connection: Connection, *, request_id: int) -> int:
    return await fetch_value(connection, sql("count_asks"), {"request_id": request_id})


async def insert_ask(connection: Connection, values: dict[str, Any]) -> int:
    return await fetch_value(connection, sql("insert_ask"), values)


async def get_ask(connection: Connection, *, ask_id: int) -> AskView | None:
    return await fetch_maybe(connection, sql("get_ask"), {"ask_id": ask_id}, AskView)


async def withdraw_ask(
    connection: Connection, *, ask_id: int, token: UUID, lease_s: float, now: datetime, database_now: datetime | None
) -> bool:
    """Whether the lease is ours now."""
    values = {"ask_id": ask_id, "token": token, "lease_s": lease_s, "now": now, "database_now": database_now}
    row = await fetch_maybe(connection, sql("withdraw_ask"), values)
    return bool(row and row["held"])


async def intend_ask(connection: Connection, *, ask_id: int, token: UUID, topic: str, subscription_hash: bytes) -> bool:
    values = {"ask_id": ask_id, "token": token, "topic": topic, "subscription_hash": subscription_hash}
    return await execute(connection, sql("intend_ask"), values) == 1


async def settle_ask(
    connection: Connection,
    *,
    ask_id: int,
    token: UUID,
    changes: int,
    topic: str | None,
    subscription_id: int | None,
    subscription_hash: bytes,
    problem: str | None,
    withdrawn: bool,
    due_at: datetime | None,
    now: datetime,
) -> bool:
    values = {
        "ask_id": ask_id,
        "token": token,
        "changes": changes,
        "topic": topic,
        "subscription_id": subscription_id,
        "subscription_hash": subscription_hash,
        "problem": problem,
        "withdrawn": withdrawn,
        "due_at": due_at,
        "now": now,
    }
    return await execute(connection, sql("settle_ask"), values) == 1
