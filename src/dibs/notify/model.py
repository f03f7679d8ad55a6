"""The nouns of notify."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time
from typing import Any, Literal

from msgspec import Struct

from dibs.openings import OpenEvent

ChannelName = Literal["email", "webhook", "apprise"]
CHANNELS: tuple[ChannelName, ...] = ("email", "webhook", "apprise")
SubscriptionStatus = Literal["pending", "active", "paused", "suppressed", "unsubscribed"]
SUBSCRIPTION_STATUSES: tuple[SubscriptionStatus, ...] = (
    "pending",
    "active",
    "paused",
    "suppressed",
    "unsubscribed",
)
FanoutStatus = Literal["pending", "sent", "skipped", "failed", "expired"]
FANOUT_STATUSES: tuple[FanoutStatus, ...] = ("pending", "sent", "skipped", "failed", "expired")
NoticeKind = Literal["opening", "verification"]
MessageKind = Literal["opening", "test", "verification"]


@dataclass(frozen=True, slots=True)
class Window:
    """The hours of a person's day in which notices may arrive, by the wall clock of their zone.

    Half-open: `start` belongs to it, `end` does not. An `end` before `start` lies on the next day; the two
    being equal means the whole day.
    """

    start: time
    end: time
    timezone: str


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a subscriber wants; nothing set means everything at once."""

    window: Window | None = None
    max_notifications: int | None = None
    snooze_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Subscription:
    """Who is told, about what, how. Never deleted: an unsubscribed one stays readable."""

    subscription_id: int
    topic: str
    channel: ChannelName
    address: str
    locale: str
    status: SubscriptionStatus
    reason: str | None
    window_start: time | None
    window_end: time | None
    window_timezone: str | None
    max_notifications: int | None
    snooze_until: datetime | None
    notices_sent: int
    last_sent_at: datetime | None
    failing_since: datetime | None
    verified_at: datetime | None
    created_at: datetime
    updated_at: datetime
    manage_token_hash: bytes
    webhook_secret: str | None

    @property
    def window(self) -> Window | None:
        return window_of(self.window_start, self.window_end, self.window_timezone)

    @property
    def preferences(self) -> Preferences:
        return Preferences(self.window, self.max_notifications, self.snooze_until)


@dataclass(frozen=True, slots=True)
class SubscriptionEvent:
    """One line of a subscription's history."""

    subscription_event_id: int
    subscription_id: int
    kind: str
    at: datetime
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Notification:
    """One notice as everybody sees it."""

    notification_id: int
    kind: NoticeKind
    open_event_id: int | None
    subscription_id: int
    fanout_status: FanoutStatus
    fanout_attempts: int
    created_at: datetime
    last_attempt_at: datetime | None
    next_attempt_at: datetime | None
    finished_at: datetime | None
    expires_at: datetime
    locked_by: str | None
    locked_at: datetime | None
    maybe_sent: bool
    error: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Latency:
    """From opening to accepted notice, in seconds; `at` is None for the whole time that was asked for."""

    at: datetime | None
    sent: int
    median_s: float
    p95_s: float


@dataclass(frozen=True, slots=True)
class Delivery:
    """A notice with what it is about and to whom it goes, for people who look."""

    notification_id: int
    kind: NoticeKind
    open_event_id: int | None
    subscription_id: int
    channel: ChannelName
    address: str
    topic: str
    title: str
    event_at: datetime | None
    fanout_status: FanoutStatus
    fanout_attempts: int
    created_at: datetime
    finished_at: datetime | None
    next_attempt_at: datetime | None
    locked_by: str | None
    error: str | None
    reason: str | None


class DueNotice(Struct, frozen=True):
    """A claimed notice with all that its subscription says about it, in one row."""

    notification_id: int
    kind: NoticeKind
    open_event_id: int | None
    subscription_id: int
    fanout_attempts: int
    expires_at: datetime
    reserved: bool
    channel: ChannelName
    address: str
    locale: str
    topic: str
    subscription_status: SubscriptionStatus
    verified: bool
    window_start: time | None
    window_end: time | None
    window_timezone: str | None
    capped: bool
    snooze_until: datetime | None
    manage_token_hash: bytes
    webhook_secret: str | None

    @property
    def window(self) -> Window | None:
        return window_of(self.window_start, self.window_end, self.window_timezone)

    @property
    def needs_place(self) -> bool:
        """Its subscription was capped after it was made, so it holds no place of the cap yet."""
        return self.capped and not self.reserved and self.kind == "opening"


class Opening(Struct, frozen=True):
    """What a notice is about: the event, and whether its news still holds."""

    event: OpenEvent
    available: bool


class Message(Struct, frozen=True):
    """What a channel is asked to carry: the same for every channel, and the same at every attempt.

    `idempotency_key` does not change over retries, crashes and requeues of one notice.
    """

    kind: MessageKind
    idempotency_key: str
    subscription_id: int
    address: str
    locale: str
    timezone: str | None
    topic: str
    secret: str | None
    sent_at: datetime
    event: OpenEvent
    unsubscribe_url: str
    verify_url: str | None = None


@dataclass(frozen=True, slots=True)
class Ok:
    """The other side accepted the notice."""


@dataclass(frozen=True, slots=True)
class Retry:
    """It may work later: `after` is what the other side asked for, in seconds.

    `ours` says that the fault is not the subscriber's endpoint (our mail relay is down), so it must not count
    against the subscription.
    """

    reason: str
    detail: str
    after: float | None = None
    ours: bool = False


@dataclass(frozen=True, slots=True)
class GiveUp:
    """It will never work. `suppress`: the endpoint asks to be left alone."""

    reason: str
    detail: str
    suppress: bool = False
    ours: bool = False


Outcome = Ok | Retry | GiveUp


@dataclass(frozen=True, slots=True)
class Send:
    """Send it now."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Not now; look again at `until`. Its age counts from then on."""

    until: datetime
    reason: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Drop:
    """Never send it, and say why."""

    status: Literal["skipped", "expired"]
    reason: str


Verdict = Send | Wait | Drop


class Settlement(Struct, frozen=True):
    """What is written about a notice when its claim ends.

    `attempted` adds one to `fanout_attempts`. `suppress` names why the whole subscription is to be left alone;
    `blames_address` lets the failure count towards that.
    """

    status: FanoutStatus
    reason: str | None
    error: str | None = None
    due_at: datetime | None = None
    expires_at: datetime | None = None
    attempted: bool = False
    suppress: bool = False
    blames_address: bool = False


def window_of(start: time | None, end: time | None, timezone: str | None) -> Window | None:
    """The three columns of a window as one value."""
    if start is None or end is None or timezone is None:
        return None
    return Window(start, end, timezone)
