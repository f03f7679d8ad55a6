"""Entities as people look them up."""

from __future__ import annotations

from dataclasses import dataclass

from dibs.db import Database
from dibs.errors import NotFound
from dibs.places import entity_store as store
from dibs.places.entity_store import like
from dibs.places.model import Entity
from dibs.places.names import key_of, tidy


@dataclass(frozen=True, slots=True)
class Entities:
    """What is known."""

    db: Database

    async def get(self, entity_id: int) -> Entity:
        async with self.db.connection() as connection:
            found = await store.get_entity(connection, entity_id=entity_id)
        if found is None:
            raise NotFound(f"There is no entity {entity_id}; it may have been merged into another.")
        return found

    async def list(
        self,
        *,
        limit: int,
        after: int = 0,
        entity_type: str | None = None,
        location_key: str | None = None,
        text: str | None = None,
        status: str = "known",
    ) -> list[Entity]:
        """In the order of their ids; `text` is anywhere in the name or an alias."""
        async with self.db.connection() as connection:
            return await store.list_entities(
                connection,
                limit=limit,
                after=after,
                entity_type=entity_type,
                location_key=location_key.lower() if location_key else None,
                pattern=f"%{like(key_of(text))}%" if text and tidy(text) else None,
                status=status,
            )
