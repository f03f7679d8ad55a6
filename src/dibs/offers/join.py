"""A person takes a place in line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from secrets import token_urlsafe
from typing import Any
from uuid import UUID

from dibs.capacity import Capacity
from dibs.capacity.model import MAX_PARTY, Floor, Wanted
from dibs.capacity.select import fits
from dibs.capacity.windows import local_start, period_of, service_date
from dibs.clock import Clock
from dibs.db import Database
from dibs.errors import DibsError, Invalid
from dibs.notify import Notify
from dibs.notify import Wish as Subscription
from dibs.notify.addresses import address_key
from dibs.notify.channels import Channel
from dibs.offers import place_store
from dibs.offers.rules import STEP
from dibs.telemetry import emit
from dibs.telemetry import events_offers as events

LONGEST_RANGE = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody asks for, as it came in: a range of instants, or local times on a date."""

    restaurant: str
    party_size: int
    channel: str
    address: str
    earliest: datetime | None = None
    latest: datetime | None = None
    date: date | None = None
    time_from: time | None = None
    time_to: time | None = None
    locale: str | None = None
    guest: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """The answer; the manage token is shown this once and only for a new place."""

    place_id: int
    existing: bool
    subscription_id: int | None = None
    manage_token: str | None = None
    webhook_secret: str | None = None


@dataclass(frozen=True, slots=True)
class _Range:
    earliest: datetime
    latest: datetime
    service_date: date


class Join:
    """Makes places: one live one per restaurant, day and address."""

    def __init__(self, database: Database, clock: Clock, capacity: Capacity, notify: Notify) -> None:
        self._database = database
        self._clock = clock
        self._capacity = capacity
        self._notify = notify

    async def join(self, wish: Wish, *, client: str | None = None) -> Joined:
        """`client` is the address of a caller without a token, whose requests are counted."""
        ground = await self._capacity.ground(wish.restaurant)
        if not 1 <= wish.party_size <= MAX_PARTY:
            raise Invalid(f"party_size must be from 1 to {MAX_PARTY}.")
        if not fits(ground.index, Wanted(wish.party_size, ground.floor.policy.max_tables), 0):
            raise Invalid(
                "No set of tables here seats so many, even on an empty floor; ask for fewer guests.",
                code="insufficient_capacity",
            )
        wanted = _range(ground.floor, wish, self._clock.now())
        channel, address = await self._channel(wish)
        key = address_key(channel.name, address)
        topic = f"place:{token_urlsafe(24)}"
        place_id = await self._insert(ground.floor.restaurant_id, wish, wanted, channel.name, key, topic)
        if place_id is None:
            return await self._known(ground.floor.restaurant_id, wanted, channel.name, key)
        return await self._subscribe(place_id, wish, topic, ground.floor.restaurant_id, wanted, client)

    async def _channel(self, wish: Wish) -> tuple[Channel, str]:
        name: Any = wish.channel
        channel = self._notify.channels.get(name)
        if channel is None:
            raise Invalid(f"channel: there is no channel {wish.channel!r}; choose email, webhook or apprise.")
        return channel, await channel.check(wish.address.strip())

    async def _insert(
        self, restaurant_id: UUID, wish: Wish, wanted: _Range, channel: str, key: str, topic: str
    ) -> int | None:
        values = {
            "restaurant_id": restaurant_id,
            "topic": topic,
            "channel": channel,
            "address_key": key,
            "party_size": wish.party_size,
            "earliest": wanted.earliest,
            "latest": wanted.latest,
            "service_date": wanted.service_date,
            "guest": wish.guest,
            "now": self._clock.now(),
        }
        async with self._database.transaction() as connection:
            return await place_store.insert_place(connection, values)

    async def _known(self, restaurant_id: UUID, wanted: _Range, channel: str, key: str) -> Joined:
        async with self._database.connection() as connection:
            place_id = await place_store.find_live_place(
                connection,
                restaurant_id=restaurant_id,
                service_date=wanted.service_date,
                channel=channel,
                address_key=key,
            )
        if place_id is None:
            raise Invalid("Your place ended at this very moment; join again.")
        return Joined(place_id, existing=True)

    async def _subscribe(
        self, place_id: int, wish: Wish, topic: str, restaurant_id: UUID, wanted: _Range, client: str | None
    ) -> Joined:
        subscription = Subscription(topic=topic, channel=wish.channel, address=wish.address, locale=wish.locale)
        try:
            made = await self._notify.subscribe.subscribe(subscription, client=client, own_topic=True)
        except DibsError:
            async with self._database.transaction() as connection:
                await place_store.drop_place(connection, place_id=place_id)
            raise
        async with self._database.transaction() as connection:
            await place_store.link_subscription(connection, place_id=place_id, subscription_id=made.subscription_id)
            # There may be room already.
            await place_store.ask_line(connection, restaurant_id=restaurant_id, service_date=wanted.service_date)
        emit(events.JOINED, place_id=place_id, restaurant=wish.restaurant, party_size=wish.party_size)
        return Joined(place_id, False, made.subscription_id, made.manage_token, made.webhook_secret)


def _range(floor: Floor, wish: Wish, now: datetime) -> _Range:
    earliest, latest = _instants(floor, wish)
    if latest < earliest:
        raise Invalid("latest lies before earliest; send the range the other way round.")
    if latest - earliest > LONGEST_RANGE:
        raise Invalid("The range is longer than 12 hours; wait for one day at a time.")
    if latest <= now:
        raise Invalid("The range lies in the past; choose a later one.", code="invalid_start")
    earliest = _next_quarter(earliest)
    starts = [earliest + step * STEP for step in range(int((latest - earliest) / STEP) + 1)]
    if not any(period_of(floor.service_periods, start, floor.timezone) for start in starts):
        raise Invalid("No start in this range lies in a service period.", code="no_service")
    return _Range(earliest, max(latest, earliest), service_date(earliest, floor.timezone))


def _instants(floor: Floor, wish: Wish) -> tuple[datetime, datetime]:
    if wish.earliest and wish.latest:
        if wish.earliest.tzinfo is None or wish.latest.tzinfo is None:
            raise Invalid("earliest and latest need an offset, like 2026-03-02T18:00:00Z.")
        return wish.earliest, wish.latest
    if wish.date and wish.time_from and wish.time_to:
        return (
            local_start(wish.date, wish.time_from, floor.timezone),
            local_start(wish.date, wish.time_to, floor.timezone),
        )
    raise Invalid("Send earliest and latest, or date with time_from and time_to in the restaurant's time zone.")


def _next_quarter(moment: datetime) -> datetime:
    over = timedelta(minutes=moment.minute % 15, seconds=moment.second, microseconds=moment.microsecond)
    return moment if not over else moment - over + STEP
