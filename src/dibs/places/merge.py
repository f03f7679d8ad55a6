"""Two entities turn out to be one restaurant."""

from __future__ import annotations

from dibs.db import Connection, execute, fetch_all, fetch_value, statements
from dibs.errors import Conflict

sql = statements(__name__)


async def merge_restaurants(connection: Connection, *, from_id: int, into_id: int) -> int:
    """Moves mentions and names, and removes the first; how many mentions moved. Call it in a transaction."""
    both = await fetch_all(connection, sql("lock_entities"), {"entity_ids": [from_id, into_id]})
    if len(both) != 2 or any(row["type"] != "restaurant" for row in both):
        raise Conflict("Only two different restaurants can become one.")
    pair = {"from_id": from_id, "into_id": into_id}
    moved = await fetch_value(connection, sql("move_mentions"), pair)
    await execute(connection, sql("move_names"), pair)
    await execute(connection, sql("delete_entity"), {"entity_id": from_id})
    await execute(connection, sql("recount_connections"), {"restaurant_id": into_id})
    await execute(connection, sql("recount_restaurant"), {"restaurant_id": into_id})
    return moved
