"""How much due work waits, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from dibs.db import Connection
from dibs.work.lease import Queue, statement_of

MOST = 10_000


@dataclass(frozen=True, slots=True)
class Backlog:
    """Due items of a queue: waiting for a worker, and held by one. Counts end at `MOST`."""

    waiting: int
    held: int
    oldest_due_at: datetime | None


async def measure_backlog(connection: Connection, queue: Queue, *, now: datetime | None) -> Backlog:
    """What is due in `queue` now."""
    async with connection.cursor(row_factory=class_row(Backlog)) as cursor:
        await cursor.execute(statement_of(queue, "measure_backlog"), {"now": now, "most": MOST})
        row = await cursor.fetchone()
    assert row is not None, "an aggregate without GROUP BY always gives one row"  # noqa: S101
    return row
