"""The statements about entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dibs.db import Connection, execute, fetch_all, fetch_maybe, fetch_one, statements
from dibs.places.model import Entity, EntityStatus, EntityType, KnownName, NewEntity
from dibs.places.names import key_of, tidy

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class Ensured:
    """An entity that exists now."""

    entity_id: int
    status: EntityStatus
    is_new: bool


@dataclass(frozen=True, slots=True)
class Named:
    """An entity found by a name or an alias, under the key that found it."""

    key: str
    entity_id: int
    type: EntityType
    name: str
    location_key: str | None
    mention_count: int


@dataclass(frozen=True, slots=True)
class Attached:
    """Who has a Google place now: this entity, or another owner."""

    owner_id: int | None
    attached_id: int | None


async def ensure_entities(connection: Connection, *, entities: Sequence[NewEntity], now: datetime) -> list[Ensured]:
    values = {
        "types": [str(entity.type) for entity in entities],
        "names": [tidy(entity.name) for entity in entities],
        "name_keys": [key_of(entity.name) for entity in entities],
        "location_keys": [entity.location_key for entity in entities],
        "statuses": [str(entity.status) for entity in entities],
        "now": now,
    }
    return await fetch_all(connection, sql("ensure_entities"), values, Ensured)


async def put_aliases(connection: Connection, *, aliases: Sequence[tuple[int, str]]) -> int:
    values = {
        "entity_ids": [entity_id for entity_id, _ in aliases],
        "aliases": [tidy(alias) for _, alias in aliases],
        "alias_keys": [key_of(alias) for _, alias in aliases],
    }
    return await execute(connection, sql("put_aliases"), values)


async def get_entity(connection: Connection, *, entity_id: int) -> Entity | None:
    return await fetch_maybe(connection, sql("get_entity"), {"entity_id": entity_id}, Entity)


async def list_entities(
    connection: Connection,
    *,
    limit: int,
    after: int = 0,
    entity_type: str | None = None,
    location_key: str | None = None,
    pattern: str | None = None,
    status: str = "known",
) -> list[Entity]:
    values = {
        "limit": limit,
        "after": after,
        "type": entity_type,
        "location_key": location_key,
        "pattern": pattern,
        "status": status,
    }
    return await fetch_all(connection, sql("list_entities"), values, Entity)


async def list_known_names(connection: Connection, *, location_key: str) -> list[KnownName]:
    return await fetch_all(connection, sql("list_known_names"), {"location_key": location_key}, KnownName)


async def find_named(connection: Connection, *, keys: Sequence[str], location_key: str | None) -> list[Named]:
    values = {"keys": list(keys), "location_key": location_key}
    return await fetch_all(connection, sql("find_named"), values, Named)


async def find_similar(connection: Connection, *, key: str, entity_type: str, location_key: str | None) -> list[Named]:
    values = {"key": key, "type": entity_type, "location_key": location_key}
    return await fetch_all(connection, sql("find_similar"), values, Named)


async def find_beginning(connection: Connection, *, key: str, location_key: str | None) -> list[int]:
    values = {"pattern": like(key) + " %", "location_key": location_key}
    rows = await fetch_all(connection, sql("find_beginning"), values)
    return [row["entity_id"] for row in rows]


async def attach_place(
    connection: Connection, *, entity_id: int, google_place_id: str, lat: float, lng: float, now: datetime
) -> Attached:
    values: Mapping[str, object] = {
        "entity_id": entity_id,
        "google_place_id": google_place_id,
        "lat": lat,
        "lng": lng,
        "now": now,
    }
    return await fetch_one(connection, sql("attach_place"), values, Attached)


async def set_entity_status(connection: Connection, *, entity_id: int, status: EntityStatus, now: datetime) -> int:
    values = {"entity_id": entity_id, "status": str(status), "now": now}
    return await execute(connection, sql("set_entity_status"), values)


def like(text: str) -> str:
    """The text as a LIKE pattern that means just itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
