"""What the owner of a subscription, or an administrator, does with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.errors import Conflict, Invalid, NotFound
from dibs.notify import delivery_store
from dibs.notify import subscription_store as store
from dibs.notify.addresses import address_key
from dibs.notify.decide import must_verify
from dibs.notify.limits import ask_to_confirm
from dibs.notify.model import Subscription, SubscriptionEvent, SubscriptionStatus
from dibs.notify.preferences import check_locale, merge
from dibs.notify.tokens import hash_token, linked_subscription, owns, proves
from dibs.telemetry import emit, metrics_notify
from dibs.telemetry import events_notify as events

BIGGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be different; None leaves it as it is."""

    status: str | None = None
    locale: str | None = None
    preferences: dict[str, Any] | None = None


class Manage:
    """Reads and changes subscriptions."""

    def __init__(self, database: Database, clock: Clock, *, verify_email: bool) -> None:
        self._database = database
        self._clock = clock
        self._verify_email = verify_email

    async def get(self, subscription_id: int) -> Subscription:
        async with self._database.connection() as connection:
            return await self._get(connection, subscription_id)

    async def list(
        self,
        *,
        topic: str | None = None,
        channel: str | None = None,
        status: str | None = None,
        address: str | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[Subscription]:
        async with self._database.connection() as connection:
            return await store.list_subscriptions(
                connection,
                topic=topic,
                channel=channel,
                status=status,
                address=address,
                before=before,
                limit=limit,
            )

    async def history(
        self, subscription_id: int, *, before: int | None = None, limit: int = 50
    ) -> list[SubscriptionEvent]:
        async with self._database.connection() as connection:
            return await store.list_subscription_events(
                connection, subscription_id=subscription_id, before=before, limit=limit
            )

    async def change(self, subscription_id: int, change: Change) -> Subscription:
        async with self._database.transaction() as connection:
            await store.lock_subscription(connection, subscription_id=subscription_id)
            subscription = await self._get(connection, subscription_id)
            if subscription.status == "unsubscribed":
                raise Conflict("It is unsubscribed; make a new subscription instead.", code="unsubscribed")
            renewed = False
            if change.preferences is not None or change.locale is not None:
                renewed |= await self._wish(connection, subscription, change)
            if change.status is not None:
                renewed |= await self._move(connection, subscription, change.status)
        if renewed:
            await self._ration(subscription_id)
        return await self.get(subscription_id)

    async def unsubscribe(self, subscription_id: int, *, how: str) -> Subscription:
        """Ends it; ending it again changes nothing."""
        async with self._database.transaction() as connection:
            await store.lock_subscription(connection, subscription_id=subscription_id)
            subscription = await self._get(connection, subscription_id)
            if subscription.status != "unsubscribed":
                now = self._clock.now()
                await store.set_status(
                    connection, subscription_id=subscription_id, status="unsubscribed", reason=how, now=now
                )
                await store.add_subscription_event(
                    connection,
                    subscription_id=subscription_id,
                    kind="unsubscribed",
                    now=now,
                    detail={"how": how},
                )
                emit(events.UNSUBSCRIBED, subscription_id=subscription_id, how=how)
            return await self._get(connection, subscription_id)

    async def verify(self, token: str) -> Subscription:
        """The link of a verification mail was followed."""
        subscription = await self._linked(token, "verify")
        if subscription is None:
            raise NotFound("This confirmation link is not valid.")
        async with self._database.transaction() as connection:
            now = self._clock.now()
            status = await store.set_verified(connection, subscription_id=subscription.subscription_id, now=now)
            if status:
                await store.add_subscription_event(
                    connection,
                    subscription_id=subscription.subscription_id,
                    kind="verified",
                    now=now,
                    detail={"status": status},
                )
            return await self._get(connection, subscription.subscription_id)

    async def by_unsubscribe_token(self, token: str) -> Subscription | None:
        """Whose link this is; the manage token works too."""
        linked = await self._linked(token, "unsubscribe")
        if linked:
            return linked
        async with self._database.connection() as connection:
            return await store.find_by_manage_token(connection, manage_token_hash=hash_token(token))

    async def is_owner(self, subscription_id: int, manage_token: str) -> bool:
        async with self._database.connection() as connection:
            found = await _find(connection, subscription_id)
        return found is not None and owns(manage_token, found.manage_token_hash)

    async def _linked(self, token: str, purpose: Any) -> Subscription | None:
        subscription_id = linked_subscription(token)
        if subscription_id is None:
            return None
        async with self._database.connection() as connection:
            found = await _find(connection, subscription_id)
        if found and proves(token, subscription_id, found.manage_token_hash, purpose):
            return found
        return None

    async def _ration(self, subscription_id: int) -> None:
        """What was made before the new allowance was known shares it.

        A transaction of its own, after that one: whatever is made or claimed from now on sees the cap itself, and
        whatever was before is seen here. Notices are locked before their subscription, as delivery does.
        """
        async with self._database.transaction() as connection:
            waiting = await delivery_store.lock_waiting(connection, subscription_id=subscription_id)
            await store.lock_subscription(connection, subscription_id=subscription_id)
            given_up = await delivery_store.ration(
                connection,
                subscription_id=subscription_id,
                notification_ids=waiting,
                now=self._clock.for_database(),
            )
        metrics_notify.NOTICES.labels("", "skipped").inc(given_up)

    async def _wish(self, connection: Connection, subscription: Subscription, change: Change) -> bool:
        """Changes what is wished; whether there is a new allowance."""
        preferences = merge(subscription.preferences, change.preferences or {})
        locale = check_locale(change.locale) if change.locale is not None else subscription.locale
        if (preferences, locale) == (subscription.preferences, subscription.locale):
            return False
        now = self._clock.now()
        await store.set_preferences(
            connection,
            subscription_id=subscription.subscription_id,
            locale=locale,
            preferences=preferences,
            now=now,
        )
        renewed = preferences.max_notifications != subscription.max_notifications
        if renewed:
            await store.renew_allowance(connection, subscription_id=subscription.subscription_id)
        await store.add_subscription_event(
            connection,
            subscription_id=subscription.subscription_id,
            kind="preferences_changed",
            now=now,
            detail={"preferences": change.preferences or {}, "locale": locale},
        )
        return renewed

    async def _move(self, connection: Connection, subscription: Subscription, wanted: str) -> bool:
        """Changes the status; whether there is a new allowance."""
        becomes = self._becomes(subscription, wanted)
        if becomes == subscription.status:
            return False
        now = self._clock.now()
        await store.set_status(
            connection,
            subscription_id=subscription.subscription_id,
            status=becomes,
            reason="by_hand" if becomes == "paused" else None,
            now=now,
        )
        renewed = becomes in ("pending", "active")
        if renewed:
            # Whoever resumes after a cap wants the same number once more.
            await store.renew_allowance(connection, subscription_id=subscription.subscription_id)
        if becomes == "pending":
            await ask_to_confirm(
                connection,
                subscription_id=subscription.subscription_id,
                address_key=address_key(subscription.channel, subscription.address),
                now=now,
                again=True,
            )
        await store.add_subscription_event(
            connection,
            subscription_id=subscription.subscription_id,
            kind="status_changed",
            now=now,
            detail={"from": subscription.status, "to": becomes, "reason": "by_hand"},
        )
        return renewed

    def _becomes(self, subscription: Subscription, wanted: str) -> SubscriptionStatus:
        if wanted == "paused":
            return "paused"
        if wanted == "active":
            proven = subscription.verified_at or not must_verify(subscription.channel, self._verify_email)
            return "active" if proven else "pending"
        raise Invalid("status: it can be set to 'active' or 'paused'; DELETE unsubscribes.", field="status")

    async def _get(self, connection: Connection, subscription_id: int) -> Subscription:
        found = await _find(connection, subscription_id)
        if found is None:
            raise NotFound(f"There is no subscription {subscription_id}.")
        return found


async def _find(connection: Connection, subscription_id: int) -> Subscription | None:
    if not 0 < subscription_id <= BIGGEST_ID:
        return None
    return await store.get_subscription(connection, subscription_id=subscription_id)
