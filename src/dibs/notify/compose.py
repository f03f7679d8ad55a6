"""Makes the message of a notice: who, what, and the links that belong to them."""

from __future__ import annotations

from secrets import token_hex
from uuid import UUID

import msgspec

from dibs.clock import Clock
from dibs.notify.claims import claim_url
from dibs.notify.message import idempotency_key, sample_event, unsubscribe_url, verify_url
from dibs.notify.model import DueNotice, Message, Opening, Subscription
from dibs.notify.tokens import link_token
from dibs.openings import OpenEvent


class Composer:
    """Knows where people reach this installation."""

    def __init__(self, clock: Clock, public_url: str, signing_key: bytes) -> None:
        self._clock = clock
        self._public_url = public_url
        self._key = signing_key

    def message(self, notice: DueNotice, opening: Opening | None) -> Message:
        """The message of a claimed notice."""
        now = self._clock.now()
        is_opening = notice.kind == "opening" and opening is not None
        event = opening.event if opening else sample_event(notice.topic, notice.subscription_id, now)
        return Message(
            kind="opening" if is_opening else "verification",
            idempotency_key=idempotency_key(event, notice.subscription_id)
            if is_opening
            else f"vrf_{notice.notification_id}",
            subscription_id=notice.subscription_id,
            address=notice.address,
            locale=notice.locale,
            timezone=notice.window_timezone,
            topic=notice.topic,
            secret=notice.webhook_secret,
            sent_at=now,
            event=self._claimable(event),
            unsubscribe_url=self.unsubscribe_url(notice.subscription_id, notice.manage_token_hash),
            verify_url=None
            if is_opening
            else verify_url(self._public_url, link_token(notice.subscription_id, notice.manage_token_hash, "verify")),
        )

    def _claimable(self, event: OpenEvent) -> OpenEvent:
        """An offer's event with its claim link, which only the person it is kept for may read."""
        offer_id = event.payload.get("offer_id")
        if not event.private or not isinstance(offer_id, str):
            return event
        url = claim_url(self._public_url, self._key, UUID(offer_id))
        return msgspec.structs.replace(event, payload={**event.payload, "url": url, "claim_url": url})

    def test(self, subscription: Subscription) -> Message:
        """A message that only says that it is a test."""
        now = self._clock.now()
        return Message(
            kind="test",
            idempotency_key=f"tst_{token_hex(16)}",
            subscription_id=subscription.subscription_id,
            address=subscription.address,
            locale=subscription.locale,
            timezone=subscription.window_timezone,
            topic=subscription.topic,
            secret=subscription.webhook_secret,
            sent_at=now,
            event=sample_event(subscription.topic, subscription.subscription_id, now),
            unsubscribe_url=self.unsubscribe_url(subscription.subscription_id, subscription.manage_token_hash),
        )

    def unsubscribe_url(self, subscription_id: int, manage_token_hash: bytes) -> str:
        return unsubscribe_url(self._public_url, link_token(subscription_id, manage_token_hash, "unsubscribe"))
