"""A person says yes, or no, or nothing: how an offer ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Literal
from uuid import UUID

from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.errors import Conflict, Gone, NotFound
from dibs.notify.claims import claimed_offer
from dibs.offers import offer_store, place_store, write
from dibs.offers.model import Offer, Settings
from dibs.offers.room import Keepers
from dibs.offers.rules import after_lapse
from dibs.telemetry import emit
from dibs.telemetry import events_offers as events
from dibs.work import Queue, claim

OFFERS = Queue(table="offer", key="offer_id", key_type="uuid", ready="item.status = 'live'")
PLACES = Queue(table="line_place", key="place_id", key_type="bigint", ready="item.status = 'waiting'")
BATCH = 50
IDLE_S = 5.0

Ending = Literal["declined", "lapsed", "withdrawn"]


class _GivenBack(Exception):
    """Somebody gave back what the offer keeps; undoes the claim."""


@dataclass(frozen=True, slots=True)
class ClaimView:
    """An offer as its person sees it; `over` once it can no longer be claimed."""

    offer: Offer
    over: bool


class Claim:
    """Ends offers."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        keepers: Keepers,
        settings: Settings,
        signing_key: bytes,
        *,
        worker: str,
    ) -> None:
        self._database = database
        self._clock = clock
        self._keepers = keepers
        self._settings = settings
        self._key = signing_key
        self._worker = worker

    async def look(self, token: str) -> ClaimView:
        """The offer that a claim link is for."""
        offer = await self._offer(token)
        return ClaimView(offer, offer.status == "live" and offer.expires_at <= self._clock.now())

    async def claim(self, token: str) -> Offer:
        """It is theirs. A second click, or another device, gets the same answer."""
        offer = await self._offer(token)
        if offer.status == "claimed":
            return offer
        if offer.status != "live" or offer.expires_at <= self._clock.now():
            raise Gone("This offer is over; it went to the next in line.", code="hold_expired")
        try:
            booking_id = await self._keepers.of_offer(offer).confirm(offer)
        except (Gone, Conflict):
            # Another device may have been faster, or the time ran out between looking and claiming.
            again = await self._offer(token)
            if again.status == "claimed":
                return again
            raise
        if not await self._taken(offer, booking_id):
            await self.end(offer, "withdrawn")
            raise Gone("What was kept for you was given back by the house; you keep your place.", code="hold_expired")
        return await self._mine(token, booking_id)

    async def _mine(self, token: str, booking_id: UUID | None) -> Offer:
        """The offer after it was claimed here or on another device, unless it ended at the same moment."""
        offer = await self._offer(token)
        if offer.status != "claimed":
            # Nobody is left with a booking that they were told is over.
            await self._keepers.of_offer(offer).undo(booking_id)
            raise Gone("This offer is over; it went to the next in line.", code="hold_expired")
        return offer

    async def _taken(self, offer: Offer, booking_id: UUID | None) -> bool:
        """Writes down that it was claimed, once; False when there is nothing left to claim."""
        try:
            async with self._database.transaction() as connection:
                written = await self._write_claimed(connection, offer, booking_id)
        except _GivenBack:
            return False
        if written:
            emit(events.CLAIMED, offer_id=str(offer.offer_id), booking_id=str(booking_id) if booking_id else None)
        return True

    async def _write_claimed(self, connection: Connection, offer: Offer, booking_id: UUID | None) -> bool:
        now = self._clock.now()
        if not await offer_store.end_offer(
            connection, offer_id=offer.offer_id, status="claimed", booking_id=booking_id, now=now
        ):
            return False
        if not await self._keepers.of_offer(offer).still_kept(connection, offer):
            raise _GivenBack
        await place_store.set_place_status(
            connection,
            place_id=offer.place_id,
            before=["waiting", "offered"],
            status="served",
            reason="claimed",
            now=now,
        )
        await write.tell_over(connection, offer, "claimed", now)
        return True

    async def decline(self, token: str, *, leave: bool = False) -> Offer:
        """Not this one. The place is kept unless the person leaves the line."""
        offer = await self._offer(token)
        if offer.status == "claimed":
            raise Conflict("This is yours already; cancel it with the house instead.", code="already_claimed")
        await self.end(offer, "declined")
        if leave:
            await self.leave(offer.place_id, "left")
        return await self._offer(token)

    async def end(self, offer: Offer, how: Ending) -> bool:
        """Gives the room back; it goes to the next in line."""
        now, keeper = self._clock.now(), self._keepers.of_offer(offer)
        async with self._database.transaction() as connection:
            if not await offer_store.end_offer(
                connection, offer_id=offer.offer_id, status=how, booking_id=None, now=now
            ):
                return False
            await self._back_in_line(connection, offer, how, now)
            await write.tell_over(connection, offer, how, now)
            await keeper.give_back(connection, offer)
        await keeper.after_end(offer)
        emit(events.OFFER_ENDED, offer_id=str(offer.offer_id), how=how)
        return True

    async def _back_in_line(self, connection: Connection, offer: Offer, how: Ending, now: datetime) -> None:
        """The person waits again, but not for this start unless the house took it from them."""
        change = partial(place_store.set_place_status, connection, place_id=offer.place_id, now=now)
        if how == "withdrawn":
            await change(before=["offered"], status="waiting", reason=None)
            return
        await place_store.refuse_start(
            connection, place_id=offer.place_id, start_at=offer.start_at, lapsed=how == "lapsed"
        )
        if how == "lapsed" and after_lapse(offer.lapses, self._settings) == "max_lapses":
            await change(before=["waiting"], status="left", reason="max_lapses")

    async def leave(self, place_id: int, reason: str) -> bool:
        """Takes a place out of the line, with its offer if it has one."""
        async with self._database.connection() as connection:
            offer = await offer_store.find_live_offer(connection, place_id=place_id)
        if offer:
            await self.end(offer, "withdrawn")
        async with self._database.transaction() as connection:
            return await place_store.set_place_status(
                connection,
                place_id=place_id,
                before=["waiting", "offered"],
                status="left",
                reason=reason,
                now=self._clock.now(),
            )

    async def lapse_once(self) -> float:
        """Ends the offers whose time is over."""
        async with self._database.transaction() as connection:
            claimed = await claim(
                connection,
                OFFERS,
                limit=BATCH,
                lease_s=self._settings.lease_s,
                worker=self._worker,
                now=self._clock.for_database(),
            )
        for offer_id in claimed.keys:
            await self._lapse(offer_id)
        return 0.0 if len(claimed.keys) == BATCH else IDLE_S

    async def _lapse(self, offer_id: UUID) -> None:
        async with self._database.connection() as connection:
            offer = await offer_store.get_offer(connection, offer_id=offer_id)
        if offer is None or offer.status != "live":
            return
        booking_id = await self._keepers.of_offer(offer).confirmed(offer)
        if booking_id:
            # The hold was confirmed and the process died before it could say so here.
            await self._taken(offer, booking_id)
        else:
            await self.end(offer, "lapsed")

    async def expire_once(self) -> float:
        """Takes those out of the line whose last start has passed."""
        async with self._database.transaction() as connection:
            claimed = await claim(
                connection,
                PLACES,
                limit=BATCH,
                lease_s=self._settings.lease_s,
                worker=self._worker,
                now=self._clock.for_database(),
            )
            for place_id in claimed.keys:
                await place_store.set_place_status(
                    connection,
                    place_id=place_id,
                    before=["waiting"],
                    status="expired",
                    reason="nothing_opened",
                    now=self._clock.now(),
                )
        return 0.0 if len(claimed.keys) == BATCH else IDLE_S * 6

    async def _offer(self, token: str) -> Offer:
        offer_id = claimed_offer(self._key, token)
        if offer_id is None:
            raise NotFound("This link is not one of ours, or is not complete; copy all of it.")
        async with self._database.connection() as connection:
            offer = await offer_store.get_offer(connection, offer_id=offer_id)
        if offer is None:
            raise NotFound("There is no such offer any more.")
        return offer
