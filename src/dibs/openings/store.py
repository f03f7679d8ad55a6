"""The statements of the hub."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from dibs.db import Connection, Json, execute, fetch_all, fetch_documents, fetch_maybe, fetch_one, statements
from dibs.openings.model import HourCount, NewEvent, OpenEvent, OpenNow, RecordedEvent, Slot, SlotClosing, SlotState

sql = statements(__name__)


async def put_slots(connection: Connection, *, slots: Sequence[SlotState]) -> int:
    return await execute(connection, sql("put_slots"), {"slots": Json(slots)})


async def close_slots(connection: Connection, *, slots: Sequence[SlotClosing]) -> int:
    return await execute(connection, sql("close_slots"), {"slots": Json(slots)})


async def reopen_slots(connection: Connection, *, slot_ids: Sequence[str], at: datetime) -> int:
    return await execute(connection, sql("reopen_slots"), {"slot_ids": list(slot_ids), "at": at})


async def relabel_slots(connection: Connection, *, labels: Sequence[dict[str, Any]]) -> int:
    return await execute(connection, sql("relabel_slots"), {"labels": Json(list(labels))})


async def hand_over_slots(
    connection: Connection, *, watch_key: str, slot_ids: Sequence[str], heirs: Sequence[str]
) -> int:
    values = {"watch_key": watch_key, "slot_ids": list(slot_ids), "heirs": list(heirs)}
    return await execute(connection, sql("hand_over_slots"), values)


async def distrust_looks(connection: Connection, *, slot_ids: Sequence[str], until: datetime) -> int:
    return await execute(connection, sql("distrust_looks"), {"slot_ids": list(slot_ids), "until": until})


async def count_misses(connection: Connection, *, slot_ids: Sequence[str], misses: Sequence[int], at: datetime) -> int:
    values = {"slot_ids": list(slot_ids), "misses": list(misses), "at": at}
    return await execute(connection, sql("count_misses"), values)


async def record_events(
    connection: Connection, *, events: Sequence[NewEvent], again: bool = False
) -> list[RecordedEvent]:
    return await fetch_all(connection, sql("record_events"), {"events": Json(events), "again": again}, RecordedEvent)


async def list_openings(connection: Connection, values: dict[str, Any]) -> list[dict[str, Any]]:
    return await fetch_documents(connection, sql("list_openings"), values)


async def list_events(connection: Connection, values: dict[str, Any]) -> list[dict[str, Any]]:
    return await fetch_documents(connection, sql("list_events"), values)


async def get_event(connection: Connection, *, open_event_id: int) -> OpenEvent | None:
    return await fetch_maybe(connection, sql("get_event"), {"open_event_id": open_event_id}, OpenEvent)


async def list_slots(connection: Connection, values: dict[str, Any]) -> list[Slot]:
    return await fetch_all(connection, sql("list_slots"), values, Slot)


async def follow_events(connection: Connection, *, xid: int, open_event_id: int, limit: int) -> list[dict[str, Any]]:
    values = {"xid": xid, "open_event_id": open_event_id, "limit": limit}
    return await fetch_all(connection, sql("follow_events"), values)


async def find_position(connection: Connection, *, open_event_id: int | None) -> dict[str, Any]:
    return await fetch_one(connection, sql("find_position"), {"open_event_id": open_event_id})


async def prune_events(connection: Connection, *, before: datetime, limit: int) -> int:
    return await execute(connection, sql("prune_events"), {"before": before, "limit": limit})


async def count_open_now(connection: Connection) -> list[OpenNow]:
    return await fetch_all(connection, sql("count_open_now"), {}, OpenNow)


async def count_per_hour(connection: Connection, *, since: datetime) -> list[HourCount]:
    return await fetch_all(connection, sql("count_per_hour"), {"since": since}, HourCount)
