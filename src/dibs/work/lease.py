"""Claim, renew and settle: the one lease that everything with due work uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID, uuid4

from psycopg.rows import tuple_row
from psycopg.sql import SQL, Composed, Identifier

from dibs.db import Connection, statements

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class Queue:
    """A table whose rows fall due.

    `ready` and `order` are SQL of the program itself (never of a caller): which rows may be claimed at all,
    and in which order. `key_type` is the SQL type of the key, for arrays of it.
    """

    table: str
    key: str
    key_type: str = "text"
    ready: str = "true"
    order: str = "due_at"


@dataclass(frozen=True, slots=True)
class Claim:
    """What one worker holds for the length of a lease."""

    token: UUID
    keys: list[Any]


@cache
def statement_of(queue: Queue, name: str) -> Composed:
    """The statement file with the queue's own names in it, composed once."""
    return SQL(sql(name).decode()).format(  # pyright: ignore[reportArgumentType] -- the text is a file of ours
        table=Identifier(queue.table),
        key=Identifier(queue.key),
        keys=SQL(queue.key_type + "[]"),  # pyright: ignore[reportArgumentType] -- a constant of the program
        ready=SQL(queue.ready),  # pyright: ignore[reportArgumentType] -- a constant of the program
        order=SQL(queue.order),  # pyright: ignore[reportArgumentType] -- a constant of the program
    )


async def claim(
    connection: Connection,
    queue: Queue,
    *,
    limit: int,
    lease_s: float,
    worker: str,
    now: datetime | None,
) -> Claim:
    """Takes up to `limit` due items; those that another worker holds are passed over."""
    token = uuid4()
    values = {"limit": limit, "lease_s": lease_s, "worker": worker, "now": now, "token": token}
    return Claim(token, await _column(connection, statement_of(queue, "claim"), values))


async def renew(
    connection: Connection,
    queue: Queue,
    token: UUID,
    keys: Iterable[Any],
    *,
    lease_s: float,
    now: datetime | None,
) -> set[Any]:
    """Makes the lease longer and says which items are still held."""
    values = {"token": token, "keys": list(keys), "lease_s": lease_s, "now": now}
    return set(await _column(connection, statement_of(queue, "renew"), values))


async def settle(
    connection: Connection,
    queue: Queue,
    token: UUID,
    due: Mapping[Any, datetime | None],
) -> set[Any]:
    """Ends the lease and sets when each item is due again (None: never); says which were still held."""
    values = {"token": token, "keys": list(due.keys()), "due": list(due.values())}
    return set(await _column(connection, statement_of(queue, "settle"), values))


async def _column(connection: Connection, statement: Composed, values: dict[str, Any]) -> list[Any]:
    async with connection.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute(statement, values)
        return [row[0] for row in await cursor.fetchall()]
