"""The statements about the catalog of sections."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dibs.db import Connection, Json, execute, fetch_all, fetch_maybe, statements

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class CatalogItem:
    item_id: int
    index_number: str
    course_string: str
    title: str
    section: str
    meetings: str
    details: dict[str, Any]


async def list_catalog_items(
    connection: Connection, *, provider: str, term_id: str, campus_code: str, indexes: Sequence[str]
) -> list[CatalogItem]:
    values = {
        "provider": provider,
        "term_id": term_id,
        "campus_code": campus_code,
        "indexes": list(indexes),
    }
    return await fetch_all(connection, sql("list_catalog_items"), values, CatalogItem)


@dataclass(frozen=True, slots=True)
class CatalogLoad:
    load_key: str
    provider: str
    term_id: str
    campus_code: str
    source_hash: str | None
    items: int


async def plan_catalogs(connection: Connection, *, providers: Sequence[str], at: datetime) -> int:
    return await execute(connection, sql("plan_catalogs"), {"providers": list(providers), "at": at})


async def get_catalog_load(connection: Connection, *, load_key: str) -> CatalogLoad | None:
    return await fetch_maybe(connection, sql("get_catalog_load"), {"load_key": load_key}, CatalogLoad)


async def settle_catalog_load(
    connection: Connection,
    *,
    load_key: str,
    source_hash: str | None,
    items: int | None,
    reason: str,
    at: datetime,
) -> None:
    values = {"load_key": load_key, "source_hash": source_hash, "items": items, "reason": reason, "at": at}
    await execute(connection, sql("settle_catalog_load"), values)


async def put_catalog_items(
    connection: Connection,
    *,
    provider: str,
    term_id: str,
    campus_code: str,
    items: Sequence[dict[str, Any]],
    at: datetime,
) -> int:
    values = {
        "provider": provider,
        "term_id": term_id,
        "campus_code": campus_code,
        "items": Json(list(items)),
        "at": at,
    }
    return await execute(connection, sql("put_catalog_items"), values)


async def list_mislabelled_slots(
    connection: Connection, *, provider: str, term_id: str, campus_code: str, watch_key: str
) -> list[str]:
    values = {"provider": provider, "term_id": term_id, "campus_code": campus_code, "watch_key": watch_key}
    return [row["slot_key"] for row in await fetch_all(connection, sql("list_mislabelled_slots"), values)]


async def relabel_watch_slots(connection: Connection, *, watch_key: str, labels: Sequence[dict[str, str]]) -> None:
    values = {"watch_key": watch_key, "labels": Json(list(labels))}
    await execute(connection, sql("relabel_watch_slots"), values)


async def list_unlisted_slots(connection: Connection, *, watch_key: str) -> list[str]:
    rows = await fetch_all(connection, sql("list_unlisted_slots"), {"watch_key": watch_key})
    return [row["slot_key"] for row in rows]


async def list_open_slot_keys(connection: Connection, *, watch_key: str) -> list[str]:
    rows = await fetch_all(connection, sql("list_open_slot_keys"), {"watch_key": watch_key})
    return [row["slot_key"] for row in rows]
