"""Advisory locks: every keyspace in one place, so that two uses never meet by accident.

Locks are taken in sorted order, always inside a transaction, and freed by its end. Freeing something needs
no lock; only taking does. docs/concepts/locking.md draws the order.
"""

from __future__ import annotations

from enum import IntEnum

from dibs.db.pool import Connection
from dibs.db.statement import statements

sql = statements(__name__)


class Keyspace(IntEnum):
    """The first half of a lock's key; the second is a hash of what is locked."""

    MIGRATE = 0xD1B500
    ADMIN = 0xD1B501
    POLL = 0xD1B510
    WINDOW = 0xD1B511
    CATALOG = 0xD1B512
    PACE = 0xD1B513
    SLOT = 0xD1B514
    SUBSCRIBE = 0xD1B520
    PARTITION = 0xD1B530
    ZONE_DATE = 0xD1B540
    FLOOR = 0xD1B541
    SIGHT = 0xD1B550
    COMMUNITY = 0xD1B551
    PRODUCT = 0xD1B560
    CADENCE = 0xD1B561
    LINE = 0xD1B580


async def advisory_lock(connection: Connection, keyspace: Keyspace, key: str) -> None:
    """Waits for the lock; the transaction's end frees it."""
    await connection.execute(sql("advisory_lock"), {"keyspace": int(keyspace), "key": key})


async def try_advisory_lock(connection: Connection, keyspace: Keyspace, key: str) -> bool:
    """Takes the lock if nobody has it."""
    cursor = await connection.execute(sql("try_advisory_lock"), {"keyspace": int(keyspace), "key": key})
    row = await cursor.fetchone()
    return bool(row and row[0])
