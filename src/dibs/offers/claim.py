"""A person says yes, or no, or nothing: how an offer ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from dibs.capacity import Capacity, confirm_hold, get_hold, release_hold
from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.errors import Conflict, Gone, NotFound
from dibs.notify.claims import claimed_offer
from dibs.offers import announce, offer_store, place_store
from dibs.offers.model import Offer, Settings
from dibs.offers.rules import after_lapse
from dibs.openings import put_slots, record
from dibs.telemetry import emit
from dibs.telemetry import events_offers as events
from dibs.work import Queue, claim

OFFERS = Queue(table="offer", key="offer_id", key_type="uuid", ready="item.status = 'live'")
PLACES = Queue(table="line_place", key="place_id", key_type="bigint", ready="item.status = 'waiting'")
BATCH = 50
LEASE_S = 60.0
IDLE_S = 5.0

Ending = Literal["declined", "lapsed", "withdrawn"]


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
        capacity: Capacity,
        settings: Settings,
        signing_key: bytes,
        *,
        worker: str,
    ) -> None:
        self._database = database
        self._clock = clock
        self._capacity = capacity
        self._settings = settings
        self._key = signing_key
        self._worker = worker

    async def look(self, token: str) -> ClaimView:
        """The offer that a claim link is for."""
        offer = await self._offer(token)
        return ClaimView(offer, offer.status == "live" and offer.expires_at <= self._clock.now())

    async def claim(self, token: str) -> Offer:
        """The table is theirs. A second click, or another device, gets the same answer."""
        offer = await self._offer(token)
        if offer.status == "claimed":
            return offer
        if offer.status != "live" or offer.expires_at <= self._clock.now():
            raise Gone("This offer is over; the table went to the next in line.", code="hold_expired")
        try:
            confirmed = await confirm_hold(
                self._capacity, offer.hold_id, guest=offer.guest, idempotency_key=f"offer:{offer.offer_id}"
            )
        except (Gone, Conflict):
            # Another device may have been faster, or the time ran out between looking and claiming.
            again = await self._offer(token)
            if again.status == "claimed":
                return again
            raise
        await self._taken(offer, confirmed.booking_id)
        return await self._offer(token)

    async def _taken(self, offer: Offer, booking_id: UUID) -> None:
        now = self._clock.now()
        async with self._database.transaction() as connection:
            if not await offer_store.end_offer(
                connection, offer_id=offer.offer_id, status="claimed", booking_id=booking_id, now=now
            ):
                return
            await place_store.set_place_status(
                connection,
                place_id=offer.place_id,
                before=["waiting", "offered"],
                status="served",
                reason="claimed",
                now=now,
            )
            await self._close(connection, offer, "claimed")
        emit(events.CLAIMED, offer_id=str(offer.offer_id), booking_id=str(booking_id))

    async def decline(self, token: str, *, leave: bool = False) -> Offer:
        """Not this one. The place is kept unless the person leaves the line."""
        offer = await self._offer(token)
        if offer.status == "claimed":
            raise Conflict("This table is yours already; cancel the booking instead.", code="already_claimed")
        await self.end(offer, "declined")
        if leave:
            await self.leave(offer.place_id, "left")
        return await self._offer(token)

    async def end(self, offer: Offer, how: Ending) -> bool:
        """Gives the tables back; the start goes to the next in line."""
        now = self._clock.now()
        gives_up = how == "lapsed" and after_lapse(offer.lapses, self._settings) == "max_lapses"
        async with self._database.transaction() as connection:
            if not await offer_store.end_offer(
                connection, offer_id=offer.offer_id, status=how, booking_id=None, now=now
            ):
                return False
            await place_store.refuse_start(
                connection, place_id=offer.place_id, start_at=offer.start_at, lapsed=how == "lapsed", now=now
            )
            if gives_up:
                await place_store.set_place_status(
                    connection,
                    place_id=offer.place_id,
                    before=["waiting"],
                    status="left",
                    reason="max_lapses",
                    now=now,
                )
            await self._close(connection, offer, how)
            await place_store.ask_line(connection, restaurant_id=offer.restaurant_id, service_date=offer.service_date)
        # Frees the tables now; if this process dies here the hold runs out by itself.
        await release_hold(self._capacity, offer.hold_id)
        emit(events.OFFER_ENDED, offer_id=str(offer.offer_id), how=how)
        return True

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
                connection, OFFERS, limit=BATCH, lease_s=LEASE_S, worker=self._worker, now=self._clock.for_database()
            )
        for offer_id in claimed.keys:
            await self._lapse(offer_id)
        return 0.0 if len(claimed.keys) == BATCH else IDLE_S

    async def _lapse(self, offer_id: UUID) -> None:
        async with self._database.connection() as connection:
            offer = await offer_store.get_offer(connection, offer_id=offer_id)
        if offer is None or offer.status != "live":
            return
        booking_id = await self._confirmed(offer)
        if booking_id:
            # The hold was confirmed and the process died before it could say so here.
            await self._taken(offer, booking_id)
        else:
            await self.end(offer, "lapsed")

    async def _confirmed(self, offer: Offer) -> UUID | None:
        """The booking, if the hold was confirmed; it is not confirmed here."""
        hold = await get_hold(self._capacity, offer.hold_id)
        if hold.status != "confirmed":
            return None
        key = f"offer:{offer.offer_id}"
        return (await confirm_hold(self._capacity, offer.hold_id, idempotency_key=key)).booking_id

    async def expire_once(self) -> float:
        """Takes those out of the line whose last start has passed."""
        async with self._database.transaction() as connection:
            claimed = await claim(
                connection, PLACES, limit=BATCH, lease_s=LEASE_S, worker=self._worker, now=self._clock.for_database()
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

    async def _close(self, connection: Connection, offer: Offer, reason: str) -> None:
        floor = (await self._capacity.ground(offer.restaurant, fresh=False)).floor
        payload = announce.payload_of(floor, offer.offer_id, offer.party_size, offer.start_at, offer.expires_at)
        slot, event = announce.closed(offer, payload, reason, self._clock.now())
        await put_slots(connection, [slot])
        await record(connection, [event])

    async def _offer(self, token: str) -> Offer:
        offer_id = claimed_offer(self._key, token)
        if offer_id is None:
            raise NotFound("This link is not one of ours, or is not complete; copy all of it.")
        async with self._database.connection() as connection:
            offer = await offer_store.get_offer(connection, offer_id=offer_id)
        if offer is None:
            raise NotFound("There is no such offer any more.")
        return offer
