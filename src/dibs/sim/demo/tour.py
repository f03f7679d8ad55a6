"""Five things for a newcomer to try; each does what its words say and leads to where it shows."""

from __future__ import annotations

import asyncio
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from dibs.capacity import Filters, Occasion, cancel_booking, confirm_hold, list_bookings, quote
from dibs.demand.model import Query
from dibs.errors import Unavailable
from dibs.notify import Wish as Subscription
from dibs.notify.claims import claim_token
from dibs.offers import Place
from dibs.offers import Wish as PlaceWish
from dibs.parts import Parts, TourStep
from dibs.places.geo import Bounds, Point
from dibs.sim.demo.places import HOME, RESTAURANT, RESTAURANT_NAME
from dibs.sim.food_world import CITIES

# The people of the town only act within the next hours, so nobody else waits for this evening.
DAYS_AHEAD = 3
DINNER = time(19, 0)
PARTY = 8
MOST_BOOKINGS = 30
PATIENCE_S, LOOK_EVERY_S = 20.0, 0.2
VIEW_DEGREES = 0.1


class Tour:
    """What the visitor does; `inbox` is where they are told."""

    def __init__(self, parts: Parts, inbox: str) -> None:
        self._parts = parts
        self._inbox = inbox

    def steps(self) -> tuple[TourStep, ...]:
        return (
            TourStep("Watch it happen", self.watch),
            TourStep("Be told of campsites", self.subscribe),
            TourStep("Search in vain", self.search),
            TourStep("Take a place in line", self.stand_in_line),
            TourStep("A table opens: claim it", self.claim),
        )

    async def watch(self) -> str:
        return "/openings"

    async def subscribe(self) -> str:
        wish = Subscription(topic="watch:camps:yosemite_2031-07", channel="webhook", address=self._inbox)
        await self._parts.notify.subscribe.subscribe(wish)
        return "/openings?provider=camps"

    async def search(self) -> str:
        """Nobody told dibs of the place yet: it is looked for where people talk, and found the next time."""
        at = next(city for city in CITIES if city.key == HOME).center
        bounds = Bounds(
            ne=Point(at.lat + VIEW_DEGREES, at.lng + VIEW_DEGREES),
            sw=Point(at.lat - VIEW_DEGREES, at.lng - VIEW_DEGREES),
        )
        await self._parts.search(Query(text=RESTAURANT_NAME, bounds=bounds))
        return f"/demand?at={at.lat},{at.lng},{2 * VIEW_DEGREES}"

    async def stand_in_line(self) -> str:
        place = await self._join()
        return f"/line?restaurant={RESTAURANT}&day={place.service_date}"

    async def claim(self) -> str:
        """Somebody cancels, the visitor is the first who fits, and their link is opened."""
        place = await self._join()
        if place.status == "waiting":
            await self._cancel(place)
        offer = await self._offered(place.place_id)
        if offer is None:
            raise Unavailable("Nothing was offered yet; look at the line, and try again in a moment.")
        return f"/claim?token={offer}"

    async def _join(self) -> Place:
        """A place in the line of an evening on which no party like this fits any more."""
        start = await self._evening()
        for _ in range(MOST_BOOKINGS):
            if not await self._book(start):
                break
        wish = PlaceWish(
            restaurant=RESTAURANT,
            party_size=PARTY,
            channel="webhook",
            address=self._inbox,
            earliest=start,
            latest=start,
            guest={"name": "You"},
        )
        return await self._parts.line.get((await self._parts.join.join(wish)).place_id)

    async def _evening(self) -> datetime:
        zone = ZoneInfo((await self._parts.capacity.ground(RESTAURANT)).floor.timezone)
        day = self._parts.clock.now().astimezone(zone).date() + timedelta(days=DAYS_AHEAD)
        return datetime.combine(day, DINNER, zone)

    async def _book(self, start: datetime) -> bool:
        wanted = Occasion(restaurant=RESTAURANT, party_size=PARTY, start_at=start)
        held = await quote(self._parts.capacity, wanted, Filters(), held_by="tour")
        if held.hold_id is None:
            return False
        guest = {"name": "A large party"}
        key = f"tour:{held.hold_id}"
        await confirm_hold(self._parts.capacity, held.hold_id, guest=guest, idempotency_key=key)
        return True

    async def _cancel(self, place: Place) -> None:
        booked = await list_bookings(
            self._parts.capacity,
            restaurant=RESTAURANT,
            service_date=place.service_date,
            status="confirmed",
            limit=MOST_BOOKINGS,
        )
        others = [one for one in booked if (one.guest or {}).get("name") != "You"]
        if others:
            await cancel_booking(self._parts.capacity, others[0].booking_id)

    async def _offered(self, place_id: int) -> str | None:
        """The token of the claim link, once the usher came by; one of ours comes by at once."""
        for _ in range(int(PATIENCE_S / LOOK_EVERY_S)):
            place = await self._parts.line.get(place_id)
            if place.status == "offered" and place.offer_id:
                return claim_token(self._parts.signing_key, place.offer_id)
            await self._parts.usher.run_once()
            await asyncio.sleep(LOOK_EVERY_S)
        return None
