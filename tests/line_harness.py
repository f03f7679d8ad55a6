"""A restaurant with a line, people in it, and what they were told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from capacity_harness import DINNER_AT, House, open_house, table
from dibs.capacity import cancel_booking, hold_tables, quote
from dibs.capacity import confirm_hold as confirm
from dibs.capacity.quote import Filters
from dibs.notify.claims import claim_token
from dibs.offers import Joined, Wish
from dibs.parts import Parts
from notify_harness import Rig, rig


def small_floor(*tables: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": "Blue Door",
        "timezone": "UTC",
        "service_periods": [{"name": "dinner", "start": "17:00", "end": "22:00"}],
        "zones": [{"name": "hall", "tables": list(tables) or [table("A1", 2)]}],
        "adjacencies": [],
    }


@dataclass
class LineHouse:
    """The house, its parts, and the rig that records what people are told."""

    parts: Parts
    house: House
    rig: Rig

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


async def open_line(parts: Parts, *tables: dict[str, Any]) -> LineHouse:
    made = rig(parts)
    # The parts of this test tell people over the recording channel.
    vars(parts)["notify"] = made.notify
    return LineHouse(parts, await open_house(parts, small_floor(*tables)), made)
