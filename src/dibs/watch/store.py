"""The statements about watches as such: what is watched, when it is due, how it went."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

import msgspec

from dibs.db import Connection, Json, execute, fetch_all, fetch_maybe, fetch_value, statements

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class WatchRow:
    watch_key: str
    provider: str
    bucket_id: str
    query: dict[str, str]
    policy: dict[str, Any]
    cadence: dict[str, Any]
    target_date: date | None
    rolling: bool
    paused: bool
    created_at: datetime
    due_at: datetime | None
    outcome: str | None
    reason: str
    open_count: int
    last_polled_at: datetime | None
    last_good_at: datetime | None
    last_changed_at: datetime | None
    consecutive_failures: int
    configuration_fault: bool
    provider_degraded: bool
    suspect: bool


class ClaimedRow(msgspec.Struct, frozen=True):
    watch_key: str
    provider: str
    bucket_id: str
    query: dict[str, str]
    policy: dict[str, Any]
    cadence: dict[str, Any]
    target_date: date | None
    open_count: int
    consecutive_failures: int
    configuration_fault: bool
    heat: float
    quiet_polls: int
    beats: int
    source_hash: str | None
    etag: str | None
    last_modified: str | None
    looked_at: datetime | None
    outcome: str | None
    paused: bool
    at: datetime


class DueRow(ClaimedRow, frozen=True):
    """A watch that was due, and the lane it goes by."""

    lane: int
    degraded: bool


@dataclass(frozen=True, slots=True)
class Ahead:
    provider: str
    due: int
    next_due_in_s: float | None
    lanes: int
    next_lane_in_s: float | None


class Beat(msgspec.Struct, frozen=True):
    """A look that showed nothing new, with what it holds: the lease of its watch and the lane it went by."""

    watch_key: str
    token: UUID
    lane: int
    holder: UUID
    gap_s: float
    due_at: datetime
    looked_at: datetime
    seen_at: datetime
    requests: int
    duration_ms: int
    heat: float
    quiet_polls: int


class BeatRow(msgspec.Struct, frozen=True):
    watch_key: str
    snapshot_id: int


async def create_watch(
    connection: Connection,
    *,
    watch_key: str,
    provider: str,
    bucket_id: str,
    query: dict[str, str],
    policy: dict[str, Any],
    cadence: dict[str, Any],
    target_date: date | None,
    rolling: bool,
    at: datetime,
) -> bool:
    values = {
        "watch_key": watch_key,
        "provider": provider,
        "bucket_id": bucket_id,
        "query": Json(query),
        "policy": Json(policy),
        "cadence": Json(cadence),
        "target_date": target_date,
        "rolling": rolling,
        "at": at,
    }
    return await execute(connection, sql("create_watch"), values) == 1


async def get_watch(connection: Connection, *, watch_key: str) -> WatchRow | None:
    return await fetch_maybe(connection, sql("get_watch"), {"watch_key": watch_key}, WatchRow)


async def list_watches(
    connection: Connection, *, after: str | None, provider: str | None, limit: int
) -> list[WatchRow]:
    values = {"after": after, "provider": provider, "limit": limit}
    return await fetch_all(connection, sql("list_watches"), values, WatchRow)


async def change_watch(
    connection: Connection,
    *,
    watch_key: str,
    policy: dict[str, Any] | None,
    cadence: dict[str, Any] | None,
    paused: bool | None,
    at: datetime,
) -> bool:
    values = {
        "watch_key": watch_key,
        "policy": None if policy is None else Json(policy),
        "cadence": None if cadence is None else Json(cadence),
        "paused": paused,
        "at": at,
    }
    return await execute(connection, sql("change_watch"), values) == 1


async def delete_watch(connection: Connection, *, watch_key: str) -> bool:
    return await execute(connection, sql("delete_watch"), {"watch_key": watch_key}) == 1


async def list_heirs(connection: Connection, *, watch_key: str) -> dict[str, str]:
    """Slot → another watch that sees it."""
    rows = await fetch_all(connection, sql("list_heirs"), {"watch_key": watch_key})
    return {row["slot_id"]: row["watch_key"] for row in rows}


async def list_lone_slots(connection: Connection, *, watch_key: str) -> list[str]:
    rows = await fetch_all(connection, sql("list_lone_slots"), {"watch_key": watch_key})
    return [row["slot_id"] for row in rows]


async def look_ahead(
    connection: Connection, *, paces: Sequence[dict[str, Any]], most: int, now: datetime | None
) -> list[Ahead]:
    values = {"paces": Json(paces), "most": most, "now": now}
    return await fetch_all(connection, sql("look_ahead"), values, Ahead)


async def list_claimed(connection: Connection, *, watch_keys: Sequence[str], now: datetime | None) -> list[ClaimedRow]:
    values = {"watch_keys": list(watch_keys), "now": now}
    return await fetch_all(connection, sql("list_claimed"), values, ClaimedRow)


async def claim_due(
    connection: Connection,
    *,
    provider: str,
    workers: int,
    degraded_workers: int,
    most: int,
    token: UUID,
    worker: str,
    lease_s: float,
    now: datetime | None,
) -> list[DueRow]:
    values = {
        "provider": provider,
        "workers": workers,
        "degraded_workers": degraded_workers,
        "most": most,
        "token": token,
        "worker": worker,
        "lease_s": lease_s,
        "now": now,
    }
    return await fetch_all(connection, sql("claim_due"), values, DueRow)


async def claim_watch(
    connection: Connection, *, watch_key: str, token: UUID, worker: str, lease_s: float, now: datetime | None
) -> bool:
    values = {"watch_key": watch_key, "token": token, "worker": worker, "lease_s": lease_s, "now": now}
    return await fetch_value(connection, sql("claim_watch"), values) is not None


async def release_claims(connection: Connection, *, provider: str, until: datetime) -> int:
    return await execute(connection, sql("release_claims"), {"provider": provider, "until": until})


async def heartbeat(
    connection: Connection, *, provider: str, beats: Sequence[Beat], now: datetime | None
) -> dict[str, int]:
    """The snapshot of each watch that was still held."""
    values = {"provider": provider, "beats": Json(beats), "now": now}
    rows = await fetch_all(connection, sql("heartbeat"), values, BeatRow)
    return {row.watch_key: row.snapshot_id for row in rows}


async def settle_watch(connection: Connection, values: dict[str, Any]) -> None:
    await execute(connection, sql("settle_watch"), values)


async def list_rolling(connection: Connection, *, provider: str) -> list[str]:
    rows = await fetch_all(connection, sql("list_rolling"), {"provider": provider})
    return [row["watch_key"] for row in rows]
