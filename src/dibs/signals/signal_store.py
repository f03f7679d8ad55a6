"""The statements about signals and their schedules."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from dibs.db import Connection, execute, fetch_all, fetch_maybe, fetch_one, fetch_value, statements
from dibs.signals.model import Cadence, Tick

sql = statements(__name__)


class Span(Struct, frozen=True):
    """A stretch of signals in the order of their key: after the first, up to and including the last."""

    after_no: int = 0
    after_date: date = date.min
    upto_no: int = 2**62
    upto_date: date = date.max


class Estimate(Struct, frozen=True, kw_only=True):
    """What one batch of a tick did."""

    checked: int
    estimated: int
    changed: int
    edges: list[dict[str, Any]]
    passed_over: list[tuple[int, str]]
    last_no: int | None
    last_date: date | None


class EndSignals(Struct, frozen=True, kw_only=True):
    """Signals that have passed their expiry."""

    ended: int
    edges: list[dict[str, Any]]


class Audit(Struct, frozen=True, kw_only=True):
    """One stretch of signals, compared with the truth."""

    looked_at: int
    compared: int
    drifts: list[dict[str, Any]]
    last_no: int | None
    last_date: date | None


class StoredSignal(Struct, frozen=True, kw_only=True):
    """A signal with what its shape is made of."""

    product_no: int
    pk: str
    sk: str
    gsipk: str
    gsisk: Any
    global_id: UUID
    available: int
    tier: str | None
    last_updated_at: datetime
    pattern: dict[str, Any]
    expiry: datetime


class Schedule(Struct, frozen=True, kw_only=True):
    """When a cadence is due."""

    cadence_id: str
    interval_s: float
    due_at: datetime | None


async def has_floor_changes(connection: Connection) -> bool:
    return bool(await fetch_value(connection, sql("has_floor_changes")))


async def fold_floor_changes(connection: Connection) -> int:
    return await execute(connection, sql("fold_floor_changes"))


async def estimate(connection: Connection, *, cadence_id: str, span: Span, now: datetime, limit: int) -> Estimate:
    values = {
        "cadence_id": cadence_id,
        "after_no": span.after_no,
        "after_date": span.after_date,
        "upto_no": span.upto_no,
        "upto_date": span.upto_date,
        "now": now,
        "limit": limit,
    }
    return await fetch_one(connection, sql("estimate"), values, Estimate)


async def set_lock_timeout(connection: Connection, *, milliseconds: int) -> None:
    await execute(connection, sql("set_lock_timeout"), {"milliseconds": str(milliseconds)})


async def lock_signal(connection: Connection, *, product_no: int, date: date) -> bool:
    values = {"product_no": product_no, "date": date}
    return await fetch_value(connection, sql("lock_signal"), values) is not None


async def end_signals(connection: Connection, *, now: datetime, limit: int) -> EndSignals:
    return await fetch_one(connection, sql("end_signals"), {"now": now, "limit": limit}, EndSignals)


async def remove_signals(connection: Connection, *, before: datetime, limit: int) -> int:
    return await execute(connection, sql("remove_signals"), {"before": before, "limit": limit})


async def audit(connection: Connection, *, after_no: int, after_date: date, now: datetime, limit: int) -> Audit:
    values = {"after_no": after_no, "after_date": after_date, "now": now, "limit": limit}
    return await fetch_one(connection, sql("audit"), values, Audit)


async def list_signals(
    connection: Connection,
    *,
    cadence_id: str | None,
    dirty: bool | None,
    after_no: int,
    after_date: date,
    now: datetime,
    limit: int,
) -> list[StoredSignal]:
    values = {
        "cadence_id": cadence_id,
        "dirty": dirty,
        "after_no": after_no,
        "after_date": after_date,
        "now": now,
        "limit": limit,
    }
    return await fetch_all(connection, sql("list_signals"), values, StoredSignal)


async def list_dirty_signals(
    connection: Connection, *, cadence_id: str | None, after_no: int, after_date: date, now: datetime, limit: int
) -> list[StoredSignal]:
    values = {
        "cadence_id": cadence_id,
        "after_no": after_no,
        "after_date": after_date,
        "now": now,
        "limit": limit,
    }
    return await fetch_all(connection, sql("list_dirty_signals"), values, StoredSignal)


async def get_signal(connection: Connection, *, global_id: UUID, now: datetime) -> StoredSignal | None:
    return await fetch_maybe(connection, sql("get_signal"), {"global_id": global_id, "now": now}, StoredSignal)


async def list_cadences(connection: Connection, *, now: datetime) -> list[Cadence]:
    return await fetch_all(connection, sql("list_cadences"), {"now": now}, Cadence)


async def put_cadences(connection: Connection, *, intervals: Mapping[str, float], now: datetime) -> int:
    values = {"cadence_ids": list(intervals), "intervals": list(intervals.values()), "now": now}
    return await execute(connection, sql("put_cadences"), values)


async def remove_cadences(connection: Connection, *, cadence_ids: list[str]) -> int:
    return await execute(connection, sql("remove_cadences"), {"cadence_ids": cadence_ids})


async def get_schedule(connection: Connection, *, cadence_id: str) -> Schedule | None:
    return await fetch_maybe(connection, sql("get_schedule"), {"cadence_id": cadence_id}, Schedule)


async def next_due_at(connection: Connection) -> datetime | None:
    return await fetch_value(connection, sql("next_due_at"))


async def record_tick(connection: Connection, *, tick: Tick, seconds: float, now: datetime) -> int:
    values = {
        "cadence_id": tick.cadence,
        "checked": tick.checked,
        "estimated": tick.estimated,
        "changed": tick.changed,
        "skipped": tick.skipped,
        "seconds": seconds,
        "now": now,
    }
    return await execute(connection, sql("record_tick"), values)
