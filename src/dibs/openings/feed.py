"""Reads the hub: the just-opened feed, all events, all slots."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from dibs.db import Database
from dibs.errors import NotFound
from dibs.openings import store
from dibs.openings.model import HourCount, OpenEvent, OpenNow, Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """Which events; None means any."""

    since: datetime
    provider: str | None = None
    watch: str | None = None
    group: str | None = None
    status: str | None = None
    still_open: bool = False

    def passes(self, event: OpenEvent) -> bool:
        """The same choice for an event that comes by itself."""
        return (
            (self.provider is None or event.provider == self.provider)
            and (self.watch is None or event.watch_key == self.watch)
            and (self.group is None or event.group_key == self.group)
            and (self.status is None or event.status_after == self.status)
        )


async def list_events(
    database: Database, chosen: EventFilter, *, limit: int, before: tuple[datetime, int] | None = None
) -> list[OpenEvent]:
    """Events, newest first, older than `before`."""
    documents = await list_documents(database, chosen, limit=limit, before=before)
    return msgspec.json.decode(msgspec.json.encode(documents), type=list[OpenEvent])


async def list_documents(
    database: Database, chosen: EventFilter, *, limit: int, before: tuple[datetime, int] | None = None
) -> list[dict[str, Any]]:
    """The same events, ready to be encoded and nothing else."""
    values = {
        "since": chosen.since,
        "provider": chosen.provider,
        "watch": chosen.watch,
        "group": chosen.group,
        "before_at": before[0] if before else None,
        "before_id": before[1] if before else None,
        "limit": limit,
    }
    async with database.connection() as connection:
        if chosen.status == "Open" and chosen.still_open:
            return await store.list_openings(connection, values)
        return await store.list_events(connection, {**values, "status": chosen.status, "still_open": chosen.still_open})


async def get_event(database: Database, open_event_id: int) -> OpenEvent:
    async with database.connection() as connection:
        event = await store.get_event(connection, open_event_id=open_event_id)
    if event is None:
        raise NotFound(f"There is no opening {open_event_id}; it may be past its retention.")
    return event


async def list_slots(
    database: Database,
    *,
    limit: int,
    after: str | None = None,
    watch: str | None = None,
    provider: str | None = None,
    group: str | None = None,
    is_open: bool | None = True,
) -> list[Slot]:
    """Slots in the order of their ids, after `after`."""
    values = {
        "after": after,
        "watch": watch,
        "provider": provider,
        "group": group,
        "open": is_open,
        "limit": limit,
    }
    async with database.connection() as connection:
        return await store.list_slots(connection, values)


async def count_open_now(database: Database) -> list[OpenNow]:
    """What is open at this moment, by provider."""
    async with database.connection() as connection:
        return await store.count_open_now(connection)


async def count_per_hour(database: Database, *, since: datetime) -> list[HourCount]:
    """Openings by hour and provider; hours in which nothing opened are left out."""
    async with database.connection() as connection:
        return await store.count_per_hour(connection, since=since)
