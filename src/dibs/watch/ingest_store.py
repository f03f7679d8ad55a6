"""The statements of the ingest path."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from dibs.db import Connection, execute, fetch_maybe, fetch_value, statements

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class SlotWatch:
    watch_key: str
    bucket_id: str
    policy: dict[str, Any]
    last_good_at: datetime | None
    sees_all: bool
    tracked: bool


async def find_watch_of_slot(
    connection: Connection, *, provider: str, slot_id: str, bucket_id: str | None, day: date | None
) -> SlotWatch | None:
    values = {"provider": provider, "slot_id": slot_id, "bucket_id": bucket_id, "day": day}
    return await fetch_maybe(connection, sql("find_watch_of_slot"), values, SlotWatch)


async def add_status_event(
    connection: Connection,
    *,
    provider: str,
    slot_key: str,
    status: str,
    observed_at: datetime,
    source: str,
    verdict: str,
    recorded_at: datetime,
) -> int:
    values = {
        "provider": provider,
        "slot_key": slot_key,
        "status": status,
        "observed_at": observed_at,
        "source": source,
        "verdict": verdict,
        "recorded_at": recorded_at,
    }
    return await fetch_value(connection, sql("add_status_event"), values)


async def reread_watch(connection: Connection, *, watch_key: str) -> None:
    await execute(connection, sql("reread_watch"), {"watch_key": watch_key})
