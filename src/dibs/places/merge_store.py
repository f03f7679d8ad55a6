"""The statements that make one restaurant of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dibs.db import Connection, execute, fetch_all, fetch_value, statements

sql = statements(__name__)


async def lock_entities(connection: Connection, *, entity_ids: Sequence[int]) -> list[dict[str, Any]]:
    return await fetch_all(connection, sql("lock_entities"), {"entity_ids": list(entity_ids)})


async def move_mentions(connection: Connection, *, from_id: int, into_id: int) -> int:
    return await fetch_value(connection, sql("move_mentions"), {"from_id": from_id, "into_id": into_id})


async def move_names(connection: Connection, *, from_id: int, into_id: int) -> int:
    return await execute(connection, sql("move_names"), {"from_id": from_id, "into_id": into_id})


async def delete_entity(connection: Connection, *, entity_id: int) -> int:
    return await execute(connection, sql("delete_entity"), {"entity_id": entity_id})


async def recount_connections(connection: Connection, *, restaurant_id: int) -> int:
    return await execute(connection, sql("recount_connections"), {"restaurant_id": restaurant_id})


async def recount_restaurant(connection: Connection, *, restaurant_id: int) -> int:
    return await execute(connection, sql("recount_restaurant"), {"restaurant_id": restaurant_id})
