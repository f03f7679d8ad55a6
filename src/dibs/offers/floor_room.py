"""Tables of a restaurant's floor, kept by holds."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from dibs.capacity import (
    Capacity,
    Filters,
    Occasion,
    Quote,
    cancel_booking,
    confirm_hold,
    fitting_starts,
    get_hold,
    longest_stay,
    quote,
    release_hold,
)
from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.errors import Conflict
from dibs.offers import announce, place_store, write
from dibs.offers.floor_rules import FloorGround
from dibs.offers.model import Check, Offer, Settings, Waiting
from dibs.offers.room import Outcome
from dibs.offers.rules import Ground
from dibs.telemetry import emit
from dibs.telemetry import events_offers as events


@dataclass(frozen=True, slots=True)
class FloorKeeper:
    """Knows the holds of all restaurants."""

    database: Database
    clock: Clock
    capacity: Capacity
    settings: Settings

    async def open(self, check: Check, _line: Sequence[Waiting], now: datetime) -> FloorRoom:
        restaurant = check.restaurant or ""
        floor = (await self.capacity.ground(restaurant)).floor
        return FloorRoom(self, restaurant, check, FloorGround(longest_stay(floor), now))

    async def confirm(self, offer: Offer) -> UUID | None:
        """Under the offer's id: again, it gives the same booking."""
        key = f"offer:{offer.offer_id}"
        return (await confirm_hold(self.capacity, hold_of(offer), guest=offer.guest, idempotency_key=key)).booking_id

    async def undo(self, booking_id: UUID | None) -> None:
        if booking_id:
            # The one who ended the offer may have been here already.
            with suppress(Conflict):
                await cancel_booking(self.capacity, booking_id)

    async def still_kept(self, _connection: Connection, _offer: Offer) -> bool:
        """The hold was confirmed before, so the tables are booked."""
        return True

    async def confirmed(self, offer: Offer) -> UUID | None:
        """It is not confirmed here."""
        hold = await get_hold(self.capacity, hold_of(offer))
        return await self.confirm(offer) if hold.status == "confirmed" else None

    async def give_back(self, connection: Connection, offer: Offer) -> None:
        if offer.restaurant_id:
            await place_store.ask_line(connection, restaurant_id=offer.restaurant_id, service_date=offer.service_date)

    async def after_end(self, offer: Offer) -> None:
        """Frees the tables now; if this process dies before it, the hold runs out by itself."""
        try:
            await release_hold(self.capacity, hold_of(offer))
        except Conflict:
            # Confirmed on another device in the same moment, and too late.
            await self.undo(await self.confirm(offer))


def hold_of(offer: Offer) -> UUID:
    if offer.hold_id is None:
        raise LookupError("an offer of tables has no hold; the schema forbids it")
    return offer.hold_id


@dataclass(frozen=True, slots=True)
class FloorRoom:
    """One day of one restaurant."""

    keeper: FloorKeeper
    restaurant: str
    check: Check
    ground: Ground

    async def fitting(self, place: Waiting, starts: Sequence[datetime]) -> Sequence[datetime]:
        return await fitting_starts(self.keeper.capacity, self.restaurant, place.size, starts)

    async def offer(self, place: Waiting, start: datetime, *, overtakes: bool) -> Outcome:
        capacity = self.keeper.capacity
        answer = await quote(
            capacity,
            Occasion(restaurant=self.restaurant, party_size=place.size, start_at=start),
            Filters(),
            held_by=f"line:{place.place_id}",
            ttl_s=self.keeper.settings.hold_ttl_s,
        )
        if answer.hold_id is None:
            return "no_room"
        outcome = await self._write(place, start, answer, overtakes=overtakes)
        if outcome != "made":
            # The person left, or was served, while we looked; or the tables are somebody else's to be asked first.
            await release_hold(capacity, answer.hold_id)
        return outcome

    async def _write(self, place: Waiting, start: datetime, answer: Quote, *, overtakes: bool) -> Outcome:
        async with self.keeper.database.transaction() as connection:
            if overtakes and await write.changed_since(connection, self.check):
                return "changed"
            offer = await write.insert(connection, self._values(place, start, answer))
            if offer is None:
                return "not_waiting"
            await write.tell(connection, offer)
        emit(events.OFFERED, offer_id=str(offer.offer_id), place_id=place.place_id, of=self.restaurant)
        return "made"

    def _values(self, place: Waiting, start: datetime, answer: Quote) -> dict[str, Any]:
        offer_id = uuid4()
        return {
            "offer_id": offer_id,
            "place_id": place.place_id,
            "hold_id": answer.hold_id,
            "slot_id": announce.slot_id(self.restaurant, offer_id),
            "table_numbers": list(answer.candidate.table_numbers) if answer.candidate else [],
            "start_at": start,
            "end_at": answer.window.end_at,
            "service_date": self.check.service_date,
            "expires_at": answer.expires_at,
            "now": self.keeper.clock.now(),
        }
