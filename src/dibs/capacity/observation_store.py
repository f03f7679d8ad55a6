"""The statements about what capacity says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from dibs.db import Connection, Json, execute, fetch_all, statements

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class Observation:
    event_id: int
    occurred_at: datetime
    source: str
    event_type: str
    severity: str
    restaurant_id: UUID | None
    booking_id: UUID | None
    context: dict[str, Any]


async def insert_observations(connection: Connection, *, observations: Sequence[dict[str, Any]]) -> int:
    return await execute(connection, sql("insert_observations"), {"observations": Json(observations)})


async def list_observations(
    connection: Connection, *, event_type: str | None = None, before: int | None = None, limit: int = 100
) -> list[Observation]:
    """The newest first."""
    values = {"event_type": event_type, "before": before, "limit": limit}
    return await fetch_all(connection, sql("list_observations"), values, Observation)


async def prune_observations(connection: Connection, *, before: datetime, limit: int) -> int:
    return await execute(connection, sql("prune_observations"), {"before": before, "limit": limit})
