"""A restaurant or a product with a line, people in it, and what they were told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import msgspec

from capacity_harness import DINNER_AT, House, open_house, table
from dibs.capacity import cancel_booking, hold_tables, quote
from dibs.capacity import confirm_hold as confirm
from dibs.capacity.quote import Filters
from dibs.notify.claims import claim_token
from dibs.offers import Joined, Wish
from dibs.parts import Parts
from dibs.signals.allocate import allocate
from dibs.signals.model import ProductKey, ProductPlan
from dibs.signals.release import release
from notify_harness import Rig, rig
from signals_harness import plan, put, run_sql

PASSES = ProductKey("parks", "passes", "lake", "day")
# In the dates of the plan; the fake clock starts on Monday 2 March 2026.
SATURDAY = date(2026, 3, 14)
SUNDAY = date(2026, 3, 15)


def small_floor(*tables: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": "Blue Door",
        "timezone": "UTC",
        "service_periods": [{"name": "dinner", "start": "17:00", "end": "22:00"}],
        "zones": [{"name": "hall", "tables": list(tables) or [table("A1", 2)]}],
        "adjacencies": [],
    }


@dataclass
class Told:
    """What people were told, over the channel that records."""

    parts: Parts
    rig: Rig

    async def turn(self) -> None:
        """Everything that is due happens: lapses, offers, notices."""
        await self.parts.claim.lapse_once()
        await self.parts.usher.run_once()
        await self.rig.tell()

    def told(self) -> list[str]:
        """Who was told, in order."""
        return [message.address.rsplit("/", 1)[1] for message in self.rig.channel.sent]

    def claim_token(self, offer_id: UUID) -> str:
        """The token that the person's notice carries."""
        return claim_token(self.parts.signing_key, offer_id)

    def token_of(self, name: str) -> str:
        """The claim token of the last notice that this person got."""
        sent = [message for message in self.rig.channel.sent if message.address.endswith(f"/{name}")]
        url = sent[-1].event.payload["claim_url"]
        return parse_qs(urlsplit(url).query)["token"][0]


@dataclass
class LineHouse(Told):
    """The house, its parts, and the rig that records what people are told."""

    house: House

    async def join(self, name: str, party_size: int = 2, **more: Any) -> Joined:
        wish: dict[str, Any] = {
            "restaurant": self.house.slug,
            "party_size": party_size,
            "channel": "webhook",
            "address": f"https://people.example/{name}",
            "earliest": DINNER_AT,
            "latest": DINNER_AT,
            **more,
        }
        return await self.parts.join.join(Wish(**wish))

    async def fill(self, party_size: int = 2, start_at: datetime = DINNER_AT) -> UUID:
        """Somebody takes a table; the booking."""
        held = await quote(self.parts.capacity, self.house.asks(party_size, start_at), Filters(), held_by="guest")
        assert held.hold_id is not None, held.reason
        return (await confirm(self.parts.capacity, held.hold_id, idempotency_key=f"fill:{held.hold_id}")).booking_id

    async def block(self, number: str, minutes: int = 0) -> UUID:
        occasion = self.house.asks(1, DINNER_AT + timedelta(minutes=minutes))
        held = await hold_tables(self.parts.capacity, occasion, [self.house[number]], held_by="staff", ttl_s=600)
        return held.hold_id

    async def cancel(self, booking_id: UUID) -> None:
        await cancel_booking(self.parts.capacity, booking_id)


async def open_line(parts: Parts, *tables: dict[str, Any]) -> LineHouse:
    made = rig(parts)
    # The parts of this test tell people over the recording channel.
    vars(parts)["notify"] = made.notify
    return LineHouse(parts, made, await open_house(parts, small_floor(*tables)))


@dataclass
class LinePool(Told):
    """A park with day passes, two for each date unless a test says otherwise."""

    key: ProductKey
    product_no: int

    async def join(self, name: str, quantity: int = 1, first: date = SATURDAY, last: date | None = None) -> Joined:
        return await self.parts.join.join(self.wish(name, quantity=quantity, earliest_date=first, latest_date=last))

    def wish(self, name: str, **more: Any) -> Wish:
        wanted: dict[str, Any] = {
            "product": str(self.key),
            "quantity": 1,
            "channel": "webhook",
            "address": f"https://people.example/{name}",
            "earliest_date": SATURDAY,
            **more,
        }
        if wanted.get("latest_date") is None:
            wanted["latest_date"] = wanted["earliest_date"]
        return Wish(**wanted)

    async def take(self, reference: str, quantity: int = 1, day: date = SATURDAY) -> None:
        await allocate(self.parts.db, self.parts.clock, self.key, day, reference=reference, quantity=quantity)

    async def free(self, reference: str, day: date = SATURDAY) -> None:
        await release(self.parts.db, self.parts.clock, self.key, day, reference=reference)

    async def allocated(self, day: date = SATURDAY) -> int:
        return (await run_sql(self.parts.db, "SELECT allocated FROM product_date WHERE date = %s", [day]))[0][0]

    async def references(self) -> set[str]:
        """Whose allocations live."""
        rows = await run_sql(self.parts.db, "SELECT reference FROM allocation WHERE released_at IS NULL")
        return {row[0] for row in rows}


async def open_pool(parts: Parts, capacity: int = 2, **changes: Any) -> LinePool:
    """A park whose passes are for the dates from 10 to 19 March."""
    made = rig(parts)
    vars(parts)["notify"] = made.notify
    return LinePool(parts, made, PASSES, await put(parts, pool_plan(capacity, **changes), PASSES))


def pool_plan(capacity: int = 2, **changes: Any) -> ProductPlan:
    return msgspec.structs.replace(plan(capacity=capacity), **({"name": "Day pass"} | changes))
