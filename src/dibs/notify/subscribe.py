"""A person asks to be told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dibs.clock import Clock
from dibs.db import Connection, Database, Keyspace, advisory_lock
from dibs.errors import Conflict, Invalid, TooMany
from dibs.notify import subscription_store as store
from dibs.notify.channels import Channel
from dibs.notify.decide import must_verify
from dibs.notify.limits import ask_to_confirm, limit_requests
from dibs.notify.model import ChannelName, Preferences, SubscriptionStatus
from dibs.notify.preferences import check_locale, check_topic, merge
from dibs.notify.reach import reach
from dibs.notify.tokens import hash_token, new_manage_token, new_webhook_secret
from dibs.telemetry import emit
from dibs.telemetry import events_notify as events


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody asks for, as it came in."""

    topic: str
    channel: str
    address: str
    locale: str | None = None
    preferences: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Subscribed:
    """The answer; the two secrets are shown this once and only for a new subscription."""

    subscription_id: int
    status: SubscriptionStatus
    existing: bool
    manage_token: str | None = None
    webhook_secret: str | None = None


@dataclass(frozen=True, slots=True)
class Secrets:
    """Secrets that a person was given before there was something to subscribe to."""

    manage_token_hash: bytes
    webhook_secret: str | None = None


@dataclass(frozen=True, slots=True)
class _Checked:
    topic: str
    channel: ChannelName
    address: str
    key: str
    locale: str
    preferences: Preferences


class Subscribe:
    """Makes subscriptions: one live one per topic, channel and address."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        channels: dict[ChannelName, Channel],
        *,
        verify_email: bool,
        max_per_topic: int,
    ) -> None:
        self._database = database
        self._clock = clock
        self._channels = channels
        self._verify_email = verify_email
        self._max_per_topic = max_per_topic

    async def subscribe(
        self, wish: Wish, *, client: str | None = None, own_topic: bool = False, secrets: Secrets | None = None
    ) -> Subscribed:
        """`client` is the address of a caller without a token, whose requests are counted.

        `own_topic` is for topics that only the product itself makes, such as a place in line. With `secrets`
        the person has theirs already, and none are made or answered.
        """
        if not own_topic and wish.topic.strip().startswith("place:"):
            raise Invalid("topic: 'place:' topics belong to places in line; join a line instead.", field="topic")
        checked = await self._check(wish)
        async with self._database.transaction() as connection:
            if client is not None:
                await limit_requests(connection, self._clock, client)
            if self._max_per_topic:
                await self._limit_topic(connection, checked)
            made = await self._insert(connection, checked, secrets)
        if not made.existing:
            emit(
                events.SUBSCRIBED,
                subscription_id=made.subscription_id,
                topic=checked.topic,
                channel=checked.channel,
            )
        return made

    async def _check(self, wish: Wish) -> _Checked:
        person = await reach(self._channels, wish.channel, wish.address)
        return _Checked(
            topic=check_topic(wish.topic),
            channel=person.channel,
            address=person.address,
            key=person.key,
            locale=check_locale(wish.locale),
            preferences=merge(Preferences(), wish.preferences),
        )

    async def _limit_topic(self, connection: Connection, checked: _Checked) -> None:
        await advisory_lock(connection, Keyspace.SUBSCRIBE, f"topic:{checked.topic}")
        known = await store.find_live(connection, topic=checked.topic, channel=checked.channel, address_key=checked.key)
        if known is None and await store.count_live(connection, topic=checked.topic) >= self._max_per_topic:
            raise TooMany(
                f"{checked.topic} has its {self._max_per_topic} subscriptions; wait until one is given up.",
                code="too_many_subscriptions",
            )

    async def _insert(self, connection: Connection, checked: _Checked, secrets: Secrets | None) -> Subscribed:
        token = new_manage_token()
        secret = new_webhook_secret() if checked.channel == "webhook" else None
        kept = secrets or Secrets(hash_token(token), secret)
        # A live one can be unsubscribed between our two looks; the next round then makes a new one.
        for _ in range(3):
            made = await store.insert_subscription(
                connection,
                topic=checked.topic,
                channel=checked.channel,
                address=checked.address,
                address_key=checked.key,
                locale=checked.locale,
                preferences=checked.preferences,
                manage_token_hash=kept.manage_token_hash,
                webhook_secret=kept.webhook_secret,
                now=self._clock.now(),
            )
            if made:
                await self._welcome(connection, made.subscription_id, checked)
                if secrets:
                    return Subscribed(made.subscription_id, made.status, False)
                return Subscribed(made.subscription_id, made.status, False, token, secret)
            known = await store.find_live(
                connection, topic=checked.topic, channel=checked.channel, address_key=checked.key
            )
            if known:
                if not known.verified and known.status in ("pending", "active"):
                    await self._confirm(connection, known.subscription_id, checked, again=True)
                return Subscribed(known.subscription_id, known.status, True)
        raise Conflict("This subscription is being changed at this very moment; try again.")

    async def _welcome(self, connection: Connection, subscription_id: int, checked: _Checked) -> None:
        now = self._clock.now()
        await store.add_subscription_event(
            connection,
            subscription_id=subscription_id,
            kind="created",
            now=now,
            detail={"topic": checked.topic, "channel": checked.channel, "status": "pending"},
        )
        await self._confirm(connection, subscription_id, checked, again=False)

    async def _confirm(self, connection: Connection, subscription_id: int, checked: _Checked, *, again: bool) -> None:
        if must_verify(checked.channel, self._verify_email):
            now = self._clock.now()
            await ask_to_confirm(
                connection, subscription_id=subscription_id, address_key=checked.key, now=now, again=again
            )
