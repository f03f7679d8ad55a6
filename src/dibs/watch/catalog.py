"""What an index of a schedule stands for: course, title, meetings."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dibs.config import SocProvider
from dibs.db import Connection
from dibs.sources import Detail, Observation, Target
from dibs.watch.catalog_store import CatalogItem, list_catalog_items
from dibs.watch.provider import WatchedProvider


async def described(
    connection: Connection,
    provider: WatchedProvider,
    target: Target,
    seen: Observation,
    slot_keys: Iterable[str],
) -> Observation:
    """The same look, with what the catalog says about the given slots."""
    if not isinstance(provider.config, SocProvider):
        return seen
    indexes = [provider.source.subject(key)["index_number"] for key in slot_keys if key in seen.found]
    rows = await list_catalog_items(
        connection,
        provider=provider.name,
        term_id=target.query["term"],
        campus_code=target.query["campus"],
        indexes=indexes,
    )
    items = {row.index_number: row for row in rows}
    only = provider.config.catalog_only

    def describe(slot_key: str) -> Detail:
        return enriched(seen.describe(slot_key), items, only=only)

    return replace(seen, describe=describe)


def enriched(detail: Detail, items: Mapping[str, CatalogItem], *, only: bool) -> Detail:
    item = items.get(detail.subject["index_number"])
    if item is None:
        return replace(detail, hidden=only)
    payload = {
        **detail.payload,
        "title": item.title,
        "course_string": item.course_string,
        "section": item.section,
        "meetings": item.meetings,
        **item.details,
    }
    return replace(detail, group_key=item.course_string, payload=payload, item_id=item.item_id)
