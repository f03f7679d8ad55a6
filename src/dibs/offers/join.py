"""A person takes a place in line."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta
from secrets import token_urlsafe

from dibs.capacity import Capacity
from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.errors import DibsError, Invalid
from dibs.notify import Notify
from dibs.notify import Wish as Subscription
from dibs.notify.reach import Reach, reach
from dibs.offers import place_store, pool_store
from dibs.offers.floor_wish import FloorWishes
from dibs.offers.pool_wish import PoolWishes
from dibs.offers.wish import POOL_ONLY, TABLE_ONLY, Asked, Wish
from dibs.telemetry import emit
from dibs.telemetry import events_offers as events

# Nobody takes longer to subscribe for a place that they took.
HALF_MADE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Joined:
    """The answer; the manage token is shown this once and only for a new place."""

    place_id: int
    existing: bool
    subscription_id: int | None = None
    manage_token: str | None = None
    webhook_secret: str | None = None


class Join:
    """Makes places: one live one per line and address."""

    def __init__(self, database: Database, clock: Clock, capacity: Capacity, notify: Notify) -> None:
        self._database = database
        self._clock = clock
        self._notify = notify
        self._floors = FloorWishes(capacity)
        self._pools = PoolWishes(database)

    async def join(self, wish: Wish, *, client: str | None = None) -> Joined:
        """`client` is the address of a caller without a token, whose requests are counted."""
        _check_kind(wish)
        reader = self._pools if wish.product is not None else self._floors
        asked = await reader.read(wish, self._clock.now())
        person = await reach(self._notify.channels, wish.channel, wish.address)
        topic = f"place:{token_urlsafe(24)}"
        place_id = await self._insert(wish, asked, person, topic)
        if place_id is None:
            return await self._known(asked, person)
        return await self._subscribe(place_id, wish, topic, asked, client)

    async def _insert(self, wish: Wish, asked: Asked, person: Reach, topic: str) -> int | None:
        now = self._clock.now()
        values = asdict(asked) | {
            "topic": topic,
            "channel": person.channel,
            "address_key": person.key,
            "guest": wish.guest,
            "now": now,
        }
        async with self._database.transaction() as connection:
            await place_store.drop_half_made(
                connection,
                line_key=asked.line_key,
                channel=person.channel,
                address_key=person.key,
                before=now - HALF_MADE,
            )
            return await place_store.insert_place(connection, values)

    async def _known(self, asked: Asked, person: Reach) -> Joined:
        async with self._database.connection() as connection:
            place_id = await place_store.find_live_place(
                connection, line_key=asked.line_key, channel=person.channel, address_key=person.key
            )
        if place_id is None:
            raise Invalid("Your place ended at this very moment; join again.")
        return Joined(place_id, existing=True)

    async def _subscribe(self, place_id: int, wish: Wish, topic: str, asked: Asked, client: str | None) -> Joined:
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
            await _ask(connection, asked)
        size = asked.party_size or asked.quantity
        emit(events.JOINED, place_id=place_id, of=wish.product or wish.restaurant, size=size)
        return Joined(place_id, False, made.subscription_id, made.manage_token, made.webhook_secret)


def _check_kind(wish: Wish) -> None:
    """A place waits for a table or for a product, and says nothing about the other."""
    if (wish.restaurant is None) == (wish.product is None):
        raise Invalid(
            "Send either restaurant with party_size and times, or product with quantity, earliest_date and latest_date."
        )
    strange, other = (TABLE_ONLY, "table") if wish.product is not None else (POOL_ONLY, "product")
    for field in strange:
        if getattr(wish, field) is not None:
            raise Invalid(f"{field} belongs to a wish for a {other}, which this is not; leave it out.", field=field)


async def _ask(connection: Connection, asked: Asked) -> None:
    if asked.product_no is not None:
        await pool_store.ask_pool_line(connection, product_no=asked.product_no)
    elif asked.restaurant_id and asked.service_date:
        await place_store.ask_line(connection, restaurant_id=asked.restaurant_id, service_date=asked.service_date)
