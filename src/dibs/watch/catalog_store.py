"""The statements about the catalog of sections."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dibs.db import Connection, fetch_all, statements

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
