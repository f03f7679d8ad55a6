"""The statements about fan-out and notices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from dibs.db import Connection, Json, execute, fetch_all, fetch_maybe, fetch_one, fetch_value, statements
from dibs.notify.model import CHANNELS, ChannelName, Delivery, DueNotice, Latency, Notification, Opening, Settlement
from dibs.openings import OpenEvent
from dibs.work import Queue

sql = statements(__name__)

# A row that is done has no due time, so nothing else needs to be asked of it.
FANOUT = Queue("fanout", "open_event_id", "bigint", order="due_at, open_event_id")
# One queue per channel in one table: a channel claims what it has room for, and none waits for another.
NOTICES: dict[ChannelName, Queue] = {
    channel: Queue("notification", "notification_id", "bigint", ready=f"channel = '{channel}'") for channel in CHANNELS
}


class FannedOut(NamedTuple):
    """What became of one event."""

    open_event_id: int
    pending: int
    skipped: int


class Settled(NamedTuple):
    """A notice whose outcome was written; one whose lease was lost is not among them."""

    notification_id: int
    suppressed: bool | None


class PendingNow(NamedTuple):
    """What waits."""

    pending: int
    oldest_s: float | None
    interrupted: int


async def in_turn(connection: Connection, *, open_event_ids: Sequence[int]) -> set[int]:
    rows = await fetch_all(connection, sql("in_turn"), {"open_event_ids": list(open_event_ids)})
    return {int(row["open_event_id"]) for row in rows}


async def fan_out(
    connection: Connection,
    *,
    open_event_ids: Sequence[int],
    verify_email: bool,
    expire_after_s: float,
    now: datetime | None,
) -> list[FannedOut]:
    values = {
        "open_event_ids": list(open_event_ids),
        "verify_email": verify_email,
        "expire_after_s": expire_after_s,
        "now": now,
    }
    return await fetch_all(connection, sql("fan_out"), values, FannedOut)


async def space_waves(connection: Connection, *, open_event_ids: Sequence[int], wave_size: int, wave_s: float) -> int:
    values = {"open_event_ids": list(open_event_ids), "wave_size": wave_size, "wave_s": wave_s}
    return await execute(connection, sql("space_waves"), values)


async def get_fanout(connection: Connection, *, open_event_id: int) -> dict[str, Any] | None:
    return await fetch_maybe(connection, sql("get_fanout"), {"open_event_id": open_event_id})


async def load_openings(connection: Connection, *, open_event_ids: Sequence[int]) -> dict[int, Opening]:
    rows = await fetch_all(connection, sql("load_openings"), {"open_event_ids": list(open_event_ids)})
    found: dict[int, Opening] = {}
    for row in rows:
        available = bool(row.pop("available"))
        found[row["open_event_id"]] = Opening(OpenEvent(**row), available)
    return found


async def load_due(connection: Connection, *, notification_ids: Sequence[int]) -> list[DueNotice]:
    return await fetch_all(connection, sql("load_due"), {"notification_ids": list(notification_ids)}, DueNotice)


async def reserve_places(connection: Connection, *, notification_ids: Sequence[int]) -> set[int]:
    """Which of them found a place under the cap of their subscription."""
    rows = await fetch_all(connection, sql("reserve_places"), {"notification_ids": list(notification_ids)})
    return {int(row["notification_id"]) for row in rows}


async def lock_waiting(connection: Connection, *, subscription_id: int) -> list[int]:
    """The notices of a subscription that are not finished, which nobody else changes until we are done."""
    rows = await fetch_all(connection, sql("lock_waiting"), {"subscription_id": subscription_id})
    return [int(row["notification_id"]) for row in rows]


async def ration(
    connection: Connection, *, subscription_id: int, notification_ids: Sequence[int], now: datetime | None
) -> int:
    """Shares the places of a cap among what waits; how many found none."""
    values = {"subscription_id": subscription_id, "notification_ids": list(notification_ids), "now": now}
    return int(await fetch_value(connection, sql("ration"), values))


async def settle_notices(
    connection: Connection,
    *,
    token: UUID,
    outcomes: Mapping[int, Settlement],
    verify_email: bool,
    patience_s: float,
    now: datetime | None,
) -> list[Settled]:
    """Ends the claim on each notice and writes its outcome, unless the lease was lost."""
    values: dict[str, Any] = {
        "token": token,
        "outcomes": Json(outcomes),
        "verify_email": verify_email,
        "patience_s": patience_s,
        "now": now,
    }
    return await fetch_all(connection, sql("settle_notices"), values, Settled)


async def next_due(connection: Connection, *, channels: Sequence[str], now: datetime | None) -> float | None:
    """Seconds until the next notice of one of the channels is due; None when none waits."""
    return await fetch_value(connection, sql("next_due"), {"channels": list(channels), "now": now})


async def list_notifications(
    connection: Connection,
    *,
    status: str | None,
    subscription_id: int | None,
    open_event_id: int | None,
    before: int | None,
    limit: int,
    lock_ttl_s: float,
) -> list[Notification]:
    """Newest first."""
    values = {
        "status": status,
        "subscription_id": subscription_id,
        "open_event_id": open_event_id,
        "before": before,
        "limit": limit,
        "lock_ttl_s": lock_ttl_s,
    }
    return await fetch_all(connection, sql("list_notifications"), values, Notification)


async def list_deliveries(
    connection: Connection,
    *,
    status: str | None,
    channel: str | None,
    subscription_id: int | None,
    open_event_id: int | None,
    limit: int,
) -> list[Delivery]:
    """Newest first."""
    values = {
        "status": status,
        "channel": channel,
        "subscription_id": subscription_id,
        "open_event_id": open_event_id,
        "limit": limit,
    }
    return await fetch_all(connection, sql("list_deliveries"), values, Delivery)


async def get_notification(connection: Connection, *, notification_id: int, lock_ttl_s: float) -> Notification | None:
    values = {"notification_id": notification_id, "lock_ttl_s": lock_ttl_s}
    return await fetch_maybe(connection, sql("get_notification"), values, Notification)


async def lock_notification(connection: Connection, *, notification_id: int, lock_ttl_s: float) -> Notification | None:
    values = {"notification_id": notification_id, "lock_ttl_s": lock_ttl_s}
    return await fetch_maybe(connection, sql("lock_notification"), values, Notification)


async def requeue(
    connection: Connection, *, notification_id: int, reserved: bool, expire_after_s: float, now: datetime | None
) -> None:
    values = {"notification_id": notification_id, "reserved": reserved, "expire_after_s": expire_after_s, "now": now}
    await execute(connection, sql("requeue"), values)


async def prune_notifications(connection: Connection, *, before: datetime, limit: int) -> int:
    return await execute(connection, sql("prune_notifications"), {"before": before, "limit": limit})


async def pending_now(connection: Connection, *, now: datetime | None) -> PendingNow:
    row = await fetch_one(connection, sql("pending_now"), {"now": now})
    return PendingNow(**row)


async def measure_latency(connection: Connection, *, since: datetime, most: int) -> list[Latency]:
    return await fetch_all(connection, sql("measure_latency"), {"since": since, "most": most}, Latency)
