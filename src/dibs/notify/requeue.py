"""Reads notices, and puts one back into the queue by hand."""

from __future__ import annotations

from typing import Any

from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.errors import Conflict, NotFound
from dibs.notify import delivery_store as store
from dibs.notify import subscription_store
from dibs.notify.model import Delivery, Notification
from dibs.telemetry import emit
from dibs.telemetry import events_notify as events

BIGGEST_ID = 2**63 - 1
MOST_OF_EVENT = 500


class Notices:
    """The notices that were made, and what became of them."""

    def __init__(self, database: Database, clock: Clock, *, expire_after_s: float, lock_ttl_s: float) -> None:
        self._database = database
        self._clock = clock
        self._expire_after_s = expire_after_s
        self._lock_ttl_s = lock_ttl_s

    async def list(
        self,
        *,
        status: str | None = None,
        subscription_id: int | None = None,
        open_event_id: int | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[Notification]:
        """Newest first."""
        async with self._database.connection() as connection:
            return await store.list_notifications(
                connection,
                status=status,
                subscription_id=subscription_id,
                open_event_id=open_event_id,
                before=before,
                limit=limit,
                lock_ttl_s=self._lock_ttl_s,
            )

    async def deliveries(
        self,
        *,
        status: str | None = None,
        channel: str | None = None,
        subscription_id: int | None = None,
        open_event_id: int | None = None,
        limit: int = 200,
    ) -> list[Delivery]:
        """The same with what each is about and to whom it goes."""
        async with self._database.connection() as connection:
            return await store.list_deliveries(
                connection,
                status=status,
                channel=channel,
                subscription_id=subscription_id,
                open_event_id=open_event_id,
                limit=limit,
            )

    async def of_event(self, open_event_id: int) -> dict[str, Any]:
        """How an opening was passed on: its fan-out, and its newest notices."""
        async with self._database.connection() as connection:
            fanned_out = await store.get_fanout(connection, open_event_id=open_event_id)
        return {
            "fanout": fanned_out,
            "notifications": await self.list(open_event_id=open_event_id, limit=MOST_OF_EVENT),
        }

    async def get(self, notification_id: int) -> Notification:
        async with self._database.connection() as connection:
            found = None
            if 0 < notification_id <= BIGGEST_ID:
                found = await store.get_notification(
                    connection, notification_id=notification_id, lock_ttl_s=self._lock_ttl_s
                )
        return _there(found, notification_id)

    async def requeue(self, notification_id: int) -> Notification:
        """Tries it again from the start, under the same idempotency key; all rules of a delivery still hold."""
        if not 0 < notification_id <= BIGGEST_ID:
            raise _unknown(notification_id)
        async with self._database.transaction() as connection:
            notice = _there(
                await store.lock_notification(connection, notification_id=notification_id, lock_ttl_s=self._lock_ttl_s),
                notification_id,
            )
            if notice.locked_by:
                raise Conflict("It is being sent at this moment.", code="being_sent")
            if notice.fanout_status == "sent":
                raise Conflict("It was sent; a notice is delivered once.", code="already_sent")
            await store.requeue(
                connection,
                notification_id=notification_id,
                reserved=await self._reserve(connection, notice),
                expire_after_s=self._expire_after_s,
                now=self._clock.for_database(),
            )
        emit(events.NOTICE_REQUEUED, notification_id=notification_id, was=notice.fanout_status)
        return await self.get(notification_id)

    async def _reserve(self, connection: Connection, notice: Notification) -> bool:
        """Whether it took a place of a cap; one that waits keeps what it has."""
        if notice.fanout_status == "pending":
            return False
        await subscription_store.lock_subscription(connection, subscription_id=notice.subscription_id)
        subscription = await subscription_store.get_subscription(connection, subscription_id=notice.subscription_id)
        if notice.kind != "opening" or subscription is None or subscription.max_notifications is None:
            return False
        if not await subscription_store.reserve_one(connection, subscription_id=notice.subscription_id):
            raise Conflict(
                f"The subscription has had its {subscription.max_notifications} notices; raise the cap or resume it.",
                code="capped",
            )
        return True


def _there(found: Notification | None, notification_id: int) -> Notification:
    if found is None:
        raise _unknown(notification_id)
    return found


def _unknown(notification_id: int) -> NotFound:
    return NotFound(f"There is no notification {notification_id}; it may be past its retention.")
