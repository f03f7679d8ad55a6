"""How the database is doing, for people who look."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from dibs.db.pool import Connection
from dibs.db.query import fetch_one
from dibs.db.statement import statements

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """The server's version, how large the database is, and who uses it."""

    version: str
    bytes: int
    connections: int
    most_connections: int
    longest_transaction: timedelta | None
    at: datetime


async def measure_database(connection: Connection) -> DatabaseFacts:
    return await fetch_one(connection, sql("measure_database"), None, DatabaseFacts)
