"""Sends a test notice now and says what happened."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from dibs.clock import Clock
from dibs.db import Database
from dibs.errors import Conflict
from dibs.notify.channels import Channel
from dibs.notify.compose import Composer
from dibs.notify.decide import must_verify
from dibs.notify.lanes import Busy, Lanes
from dibs.notify.limits import limit_requests
from dibs.notify.model import ChannelName, GiveUp, Ok, Outcome, Retry, Subscription


@dataclass(frozen=True, slots=True)
class TestReport:
    """What the channel answered."""

    subscription_id: int
    channel: ChannelName
    ok: bool
    outcome: Literal["sent", "retry", "failed"]
    reason: str | None
    detail: str | None
    retry_after_s: float | None
    message_id: str
    took_ms: int


class TryOut:
    """Test notices."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        channels: dict[ChannelName, Channel],
        lanes: Lanes,
        composer: Composer,
        verify_email: bool,
    ) -> None:
        self._database = database
        self._clock = clock
        self._channels = channels
        self._lanes = lanes
        self._composer = composer
        self._verify_email = verify_email

    async def send_test(self, subscription: Subscription, *, limited: bool) -> TestReport:
        """`limited`: the caller is the owner and not an administrator, so tests are counted."""
        if subscription.status == "unsubscribed":
            raise Conflict("It is unsubscribed; nothing is sent to it.", code="unsubscribed")
        if must_verify(subscription.channel, self._verify_email) and not subscription.verified_at:
            # Whoever subscribed an address need not own it.
            raise Conflict(
                "The address is not confirmed; it gets nothing before the link in its mail was followed.",
                code="unverified",
            )
        if limited:
            async with self._database.transaction() as connection:
                await limit_requests(connection, self._clock, f"test:{subscription.subscription_id}")
        channel = self._channels[subscription.channel]
        message = self._composer.test(subscription)
        started = time.monotonic()
        try:
            async with self._lanes.enter(channel.name, channel.host(subscription.address)):
                outcome = await channel.send(message)
        except Busy as busy:
            outcome = Retry("endpoint_busy", "other notices are on their way to this host", after=busy.after)
        took_ms = round((time.monotonic() - started) * 1000)
        return _report(subscription, outcome, message.idempotency_key, took_ms)


def _report(subscription: Subscription, outcome: Outcome, message_id: str, took_ms: int) -> TestReport:
    result: Literal["sent", "retry", "failed"] = "sent"
    reason, detail, after = None, None, None
    match outcome:
        case Ok():
            pass
        case Retry(reason, detail, after):
            result = "retry"
        case GiveUp(reason, detail):
            result = "failed"
    return TestReport(
        subscription_id=subscription.subscription_id,
        channel=subscription.channel,
        ok=result == "sent",
        outcome=result,
        reason=reason,
        detail=detail,
        retry_after_s=after,
        message_id=message_id,
        took_ms=took_ms,
    )
