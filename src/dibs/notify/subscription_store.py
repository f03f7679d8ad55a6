"""The statements about subscriptions."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from dibs.db import Connection, Json, execute, fetch_all, fetch_maybe, fetch_one, fetch_value, statements
from dibs.notify.model import ChannelName, Preferences, Subscription, SubscriptionEvent, SubscriptionStatus

sql = statements(__name__)


class Known(NamedTuple):
    """A subscription that is there, in short."""

    subscription_id: int
    status: SubscriptionStatus
    verified: bool


async def insert_subscription(
    connection: Connection,
    *,
    topic: str,
    channel: ChannelName,
    address: str,
    address_key: str,
    locale: str,
    preferences: Preferences,
    manage_token_hash: bytes,
    webhook_secret: str | None,
    now: datetime,
) -> Known | None:
    """The new one; None when there is a live one already."""
    values = {
        "topic": topic,
        "channel": channel,
        "address": address,
        "address_key": address_key,
        "locale": locale,
        "manage_token_hash": manage_token_hash,
        "webhook_secret": webhook_secret,
        "now": now,
        **columns(preferences),
    }
    return await fetch_maybe(connection, sql("insert_subscription"), values, Known)


def columns(preferences: Preferences) -> dict[str, Any]:
    """Preferences as the table keeps them."""
    window = preferences.window
    return {
        "window_start": window.start if window else None,
        "window_end": window.end if window else None,
        "window_timezone": window.timezone if window else None,
        "max_notifications": preferences.max_notifications,
        "snooze_until": preferences.snooze_until,
    }


async def find_live(connection: Connection, *, topic: str, channel: str, address_key: str) -> Known | None:
    values = {"topic": topic, "channel": channel, "address_key": address_key}
    return await fetch_maybe(connection, sql("find_live"), values, Known)


async def get_subscription(connection: Connection, *, subscription_id: int) -> Subscription | None:
    values = {"subscription_id": subscription_id}
    return await fetch_maybe(connection, sql("get_subscription"), values, Subscription)


async def find_by_manage_token(connection: Connection, *, manage_token_hash: bytes) -> Subscription | None:
    values = {"manage_token_hash": manage_token_hash}
    return await fetch_maybe(connection, sql("find_by_manage_token"), values, Subscription)


async def lock_subscription(connection: Connection, *, subscription_id: int) -> None:
    await execute(connection, sql("lock_subscription"), {"subscription_id": subscription_id})


async def list_subscriptions(
    connection: Connection,
    *,
    topic: str | None,
    channel: str | None,
    status: str | None,
    address: str | None,
    before: int | None,
    limit: int,
) -> list[Subscription]:
    """Newest first."""
    values = {
        "topic": topic,
        "channel": channel,
        "status": status,
        "address": address,
        "before": before,
        "limit": limit,
    }
    return await fetch_all(connection, sql("list_subscriptions"), values, Subscription)


async def count_live(connection: Connection, *, topic: str) -> int:
    return int(await fetch_value(connection, sql("count_live"), {"topic": topic}))


async def count_requests(connection: Connection, *, client: str, since: datetime) -> tuple[int, datetime | None]:
    """How many requests, and when the oldest of them came."""
    row = await fetch_one(connection, sql("count_requests"), {"client": client, "since": since})
    return int(row["count"]), row["oldest"]


async def note_request(connection: Connection, *, client: str, now: datetime) -> None:
    await execute(connection, sql("note_request"), {"client": client, "now": now})


async def forget_requests(connection: Connection, *, before: datetime) -> int:
    return await execute(connection, sql("forget_requests"), {"before": before})


async def add_subscription_event(
    connection: Connection, *, subscription_id: int, kind: str, now: datetime, detail: dict[str, Any]
) -> None:
    values = {"subscription_id": subscription_id, "kind": kind, "now": now, "detail": Json(detail)}
    await execute(connection, sql("add_subscription_event"), values)


async def list_subscription_events(
    connection: Connection, *, subscription_id: int, before: int | None, limit: int
) -> list[SubscriptionEvent]:
    """Newest first."""
    values = {"subscription_id": subscription_id, "before": before, "limit": limit}
    return await fetch_all(connection, sql("list_subscription_events"), values, SubscriptionEvent)


async def set_status(
    connection: Connection,
    *,
    subscription_id: int,
    status: SubscriptionStatus,
    reason: str | None,
    now: datetime,
) -> None:
    values = {"subscription_id": subscription_id, "status": status, "reason": reason, "now": now}
    await execute(connection, sql("set_status"), values)


async def set_preferences(
    connection: Connection, *, subscription_id: int, locale: str, preferences: Preferences, now: datetime
) -> None:
    values = {"subscription_id": subscription_id, "locale": locale, "now": now, **columns(preferences)}
    await execute(connection, sql("set_preferences"), values)


async def renew_allowance(connection: Connection, *, subscription_id: int) -> None:
    await execute(connection, sql("renew_allowance"), {"subscription_id": subscription_id})


async def reserve_one(connection: Connection, *, subscription_id: int) -> bool:
    """Whether a capped subscription had room for one more notice, which it now has no longer."""
    return await execute(connection, sql("reserve_one"), {"subscription_id": subscription_id}) > 0


async def set_verified(connection: Connection, *, subscription_id: int, now: datetime) -> str | None:
    """The status afterwards; None when it was verified before."""
    return await fetch_value(connection, sql("set_verified"), {"subscription_id": subscription_id, "now": now})


async def queue_verification(
    connection: Connection, *, subscription_id: int, expire_after_s: float, now: datetime
) -> None:
    values = {"subscription_id": subscription_id, "expire_after_s": expire_after_s, "now": now}
    await execute(connection, sql("queue_verification"), values)
