"""The statements of the doctor."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from dibs.db import Connection, fetch_all, fetch_value, statements

sql = statements(__name__)


async def server_version(connection: Connection) -> int:
    return await fetch_value(connection, sql("server_version"))


async def database_time(connection: Connection) -> datetime:
    return await fetch_value(connection, sql("database_time"))


async def list_extensions(connection: Connection, *, names: Sequence[str]) -> dict[str, bool]:
    """Which of the extensions the server has, and whether this database has them installed."""
    rows = await fetch_all(connection, sql("list_extensions"), {"names": list(names)})
    return {row["name"]: row["installed"] for row in rows}
