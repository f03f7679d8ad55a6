"""Two entities turn out to be one restaurant."""

from __future__ import annotations

from dibs.db import Connection
from dibs.errors import Conflict
from dibs.places import merge_store as store


async def merge_restaurants(connection: Connection, *, from_id: int, into_id: int) -> int:
    """Moves mentions and names, and removes the first; how many mentions moved. Call it in a transaction."""
    both = await store.lock_entities(connection, entity_ids=[from_id, into_id])
    if len(both) != 2 or any(row["type"] != "restaurant" for row in both):
        raise Conflict("Only two different restaurants can become one.")
    moved = await store.move_mentions(connection, from_id=from_id, into_id=into_id)
    await store.move_names(connection, from_id=from_id, into_id=into_id)
    await store.delete_entity(connection, entity_id=from_id)
    await store.recount_connections(connection, restaurant_id=into_id)
    await store.recount_restaurant(connection, restaurant_id=into_id)
    return moved
