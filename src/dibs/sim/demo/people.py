"""What people do in the town. Each act is one small deed; the dice decide who does what."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from uuid import UUID

from dibs.capacity import Filters, Occasion, cancel_booking, confirm_hold, quote
from dibs.demand.model import Query, Term
from dibs.errors import DibsError
from dibs.notify import Wish as Subscription
from dibs.notify.claims import claim_token
from dibs.offers import Wish as PlaceWish
from dibs.parts import Parts
from dibs.places.geo import Bounds, Point
from dibs.places.model import EntityType
from dibs.signals.allocate import allocate
from dibs.signals.release import release
from dibs.sim.demo.places import PASSES, RESTAURANT
from dibs.sim.food_world import CITIES
from dibs.sim.reddit_talk import FOODS
from dibs.sim.resy_world import NAMES as VENUES
from dibs.wanted import AskWish

NAMES = ("ann", "ben", "cem", "dora", "eli", "fay", "gus", "hana", "ivo", "jun", "kai", "lea")
VIEW_DEGREES = 0.1
STREET_DEGREES = 0.002
# The city that the demo's tables are in, and how many of its venues everybody talks about.
NEW_YORK = next(city for city in CITIES if city.key == "foodnyc")
WANTED_VENUES = 4
# Whoever came in before the demo began may have begun to eat so long ago.
SEATED_FOR = timedelta(hours=1)


@dataclass
class People:
    """Everybody in the town, and what they have in hand."""

    parts: Parts
    inbox: str
    dice: random.Random
    bookings: list[UUID] = field(default_factory=list[UUID])
    passes: list[tuple[date, str, int]] = field(default_factory=list[tuple[date, str, int]])
    places: list[int] = field(default_factory=list[int])
    deeds: int = 0

    async def act(self) -> str:
        """One deed; what it was. A refusal (sold out, nothing free) is part of life."""
        deed = self.dice.choice(self._choices())
        self.deeds += 1
        try:
            await deed()
        except DibsError as error:
            return f"{deed.__name__}: {error.code}"
        return deed.__name__

    async def come_in(self, parties: int) -> None:
        """The bookings of before: the floor is busy when somebody first looks at it."""
        for _ in range(parties):
            with suppress(DibsError):
                await self._book(self._evening() - SEATED_FOR)

    def _choices(self) -> list[Callable[[], Awaitable[None]]]:
        return [
            self.book,
            self.book,
            self.hold,
            self.cancel,
            self.buy_pass,
            self.buy_pass,
            self.return_pass,
            self.search,
            self.want_a_table,
            self.subscribe,
            self.stand_in_line,
            self.wait_for_passes,
            self.answer_offer,
            self.answer_offer,
        ]

    def _evening(self) -> datetime:
        """A quarter hour within the next six hours."""
        now = self.parts.clock.now().replace(second=0, microsecond=0)
        start = now - timedelta(minutes=now.minute % 15) + timedelta(minutes=15)
        return start + timedelta(minutes=15 * self.dice.randrange(24))

    async def _quote(self, ttl_s: int, start: datetime) -> UUID | None:
        wanted = Occasion(restaurant=RESTAURANT, party_size=self.dice.choice((2, 2, 3, 4, 6)), start_at=start)
        answer = await quote(self.parts.capacity, wanted, Filters(), held_by="demo", ttl_s=ttl_s)
        return answer.hold_id

    async def book(self) -> None:
        await self._book(self._evening())

    async def _book(self, start: datetime) -> None:
        hold_id = await self._quote(60, start)
        if hold_id:
            guest = {"name": self.dice.choice(NAMES).title()}
            made = await confirm_hold(self.parts.capacity, hold_id, guest=guest, idempotency_key=f"demo:{hold_id}")
            self.bookings.append(made.booking_id)

    async def hold(self) -> None:
        await self._quote(self.dice.choice((60, 120, 180)), self._evening())

    async def cancel(self) -> None:
        if self.bookings:
            await cancel_booking(self.parts.capacity, self.bookings.pop(self.dice.randrange(len(self.bookings))))

    async def buy_pass(self) -> None:
        day = self._day()
        reference, quantity = f"pass-{self.deeds}-{self.dice.randrange(10**9)}", self.dice.randint(1, 8)
        await allocate(self.parts.db, self.parts.clock, PASSES, day, reference=reference, quantity=quantity)
        self.passes.append((day, reference, quantity))

    async def return_pass(self) -> None:
        if self.passes:
            day, reference, quantity = self.passes.pop(self.dice.randrange(len(self.passes)))
            await release(self.parts.db, self.parts.clock, PASSES, day, reference=reference, quantity=quantity)

    def _day(self) -> date:
        return self.parts.clock.now().date() + timedelta(days=self.dice.randrange(7))

    async def search(self) -> None:
        city = self.dice.choice(CITIES)
        bounds = _around(city.center, VIEW_DEGREES)
        await self.parts.search(Query(text=self.dice.choice(FOODS), bounds=bounds))

    async def want_a_table(self) -> None:
        """Looks for one of a few restaurants by name; some ask to be told. What is wanted often becomes a watch."""
        venue = self.dice.randint(1, WANTED_VENUES)
        term = Term(f"{VENUES[venue % len(VENUES)]} {venue}", EntityType.RESTAURANT)
        # So small a view that it is recorded and not collected: the queue is for the foods.
        found = await self.parts.search(Query(text="", terms=(term,), bounds=_around(NEW_YORK.center, STREET_DEGREES)))
        targets = found.on_demand.targets
        if targets and self.dice.random() < 0.5:
            wish = AskWish("webhook", f"{self.inbox}/{self.dice.choice(NAMES)}")
            await self.parts.wanted.ask.ask(targets[0].request_id, wish)

    async def subscribe(self) -> None:
        topic = self.dice.choice(
            (
                "watch:camps:yosemite_2031-07",
                f"group:resy:{self.dice.randint(1, 60)}",
                "watch:soc:92031:NB",
                f"group:{PASSES}",
            )
        )
        address = f"{self.inbox}/{self.dice.choice(NAMES)}"
        preferences = {"max_notifications": self.dice.choice((5, 20, 50))}
        wish = Subscription(topic=topic, channel="webhook", address=address, preferences=preferences)
        await self.parts.notify.subscribe.subscribe(wish)

    async def stand_in_line(self) -> None:
        start = self._evening()
        joined = await self.parts.join.join(
            PlaceWish(
                restaurant=RESTAURANT,
                party_size=self.dice.choice((2, 4, 6, 8)),
                channel="webhook",
                address=f"{self.inbox}/{self.dice.choice(NAMES)}",
                earliest=start,
                latest=start + timedelta(minutes=60),
            )
        )
        self.places.append(joined.place_id)

    async def wait_for_passes(self) -> None:
        first = self._day()
        joined = await self.parts.join.join(
            PlaceWish(
                product=str(PASSES),
                quantity=self.dice.randint(2, 8),
                channel="webhook",
                address=f"{self.inbox}/{self.dice.choice(NAMES)}",
                earliest_date=first,
                latest_date=first + timedelta(days=1),
            )
        )
        self.places.append(joined.place_id)

    async def answer_offer(self) -> None:
        """Whoever waits longest looks at the link: most take what is kept for them, some let it go or forget it."""
        mood = self.dice.random()
        while self.places:
            place = await self.parts.line.get(self.places[0])
            if place.status == "waiting":
                self.places.append(self.places.pop(0))
                return
            self.places.pop(0)
            if place.status == "offered" and place.offer_id:
                token = claim_token(self.parts.signing_key, place.offer_id)
                if mood < 0.6:
                    await self.parts.claim.claim(token)
                elif mood < 0.8:
                    await self.parts.claim.decline(token)
                return


def _around(at: Point, degrees: float) -> Bounds:
    return Bounds(ne=Point(at.lat + degrees, at.lng + degrees), sw=Point(at.lat - degrees, at.lng - degrees))
