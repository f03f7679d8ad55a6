"""A quantity of a product's date, kept by an allocation that is named by the offer's id.

Allocation and offer are rows of one database, so they are written, and ended, in one transaction: whatever dies
whenever, there is never one without the other. The time limit is the offer's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.offers import announce, pool_store, write
from dibs.offers.model import Check, Offer, Settings, Waiting
from dibs.offers.pool_rules import PoolGround
from dibs.offers.room import Closed, Outcome
from dibs.signals import store as signals
from dibs.telemetry import emit
from dibs.telemetry import events_offers as events


class _TakenMeanwhile(Exception):
    """What was free is not any more; undoes the offer."""

    def __init__(self, free: int) -> None:
        super().__init__()
        self.free = free


class _OpenedMeanwhile(Exception):
    """Some of it may be for somebody in front; undoes the offer."""


@dataclass(frozen=True, slots=True)
class PoolKeeper:
    """Knows the allocations of all products."""

    database: Database
    clock: Clock
    settings: Settings

    async def open(self, check: Check, line: Sequence[Waiting], now: datetime) -> PoolRoom | Closed:
        number = check.product_no or 0
        async with self.database.connection() as connection:
            pool = await pool_store.get_pool(connection, product_no=number)
            if pool is None:
                return Closed("product_removed")
            if pool.floor_restaurant:
                return Closed("stands_on_floor")
            days = await pool_store.list_pool_days(connection, product_no=number, line=line, now=now)
        return PoolRoom(self, pool.product_key, check, PoolGround(days))

    async def confirm(self, _offer: Offer) -> UUID | None:
        """The allocation simply stays."""
        return None

    async def undo(self, _booking_id: UUID | None) -> None:
        """There are no bookings here."""

    async def still_kept(self, connection: Connection, offer: Offer) -> bool:
        return await pool_store.lock_allocation(
            connection,
            product_no=offer.product_no or 0,
            date=offer.service_date,
            reference=offer.reference,
        )

    async def confirmed(self, _offer: Offer) -> UUID | None:
        """Claiming is one transaction: nothing can be half done."""
        return None

    async def give_back(self, connection: Connection, offer: Offer) -> None:
        """Once: a release that was made before is left as it is."""
        await signals.release(
            connection,
            product_key=offer.product or "",
            date=offer.service_date,
            reference=offer.reference,
            quantity=None,
            now=self.clock.for_database(),
        )
        # Not only for the next: the person who waits again may be given another date.
        await pool_store.ask_pool_line(connection, product_no=offer.product_no or 0)

    async def after_end(self, _offer: Offer) -> None:
        """Everything was in the transaction."""


@dataclass(frozen=True, slots=True)
class PoolRoom:
    """The dates of one product."""

    keeper: PoolKeeper
    product: str
    check: Check
    ground: PoolGround

    async def fitting(self, place: Waiting, starts: Sequence[datetime]) -> Sequence[datetime]:
        return [start for start in starts if self.ground.fits(start, place.size)]

    async def offer(self, place: Waiting, start: datetime, *, overtakes: bool) -> Outcome:
        try:
            return await self._write(place, start, overtakes=overtakes)
        except _OpenedMeanwhile:
            return "changed"
        except _TakenMeanwhile as taken:
            # What it said may be older than what refused us.
            self.ground.seen(start, min(taken.free, place.size - 1))
            return "no_room"

    async def _write(self, place: Waiting, start: datetime, *, overtakes: bool) -> Outcome:
        async with self.keeper.database.transaction() as connection:
            # The place before the date: the order in which the end of an offer takes them too.
            offer = await write.insert(connection, self._values(place, start))
            if offer is None:
                return "not_waiting"
            await self._allocate(connection, offer, place.size)
            if overtakes and await write.changed_since(connection, self.check):
                raise _OpenedMeanwhile
            await write.tell(connection, offer)
        self.ground.take(start, place.size)
        emit(events.OFFERED, offer_id=str(offer.offer_id), place_id=place.place_id, of=self.product)
        return "made"

    async def _allocate(self, connection: Connection, offer: Offer, quantity: int) -> None:
        found = await signals.allocate(
            connection,
            product_key=self.product,
            date=offer.service_date,
            reference=offer.reference,
            quantity=quantity,
            now=self.keeper.clock.for_database(),
        )
        if found is None or found.reference is None:
            raise _TakenMeanwhile((found.capacity or 0) - (found.allocated or 0) if found and found.in_range else 0)

    def _values(self, place: Waiting, start: datetime) -> dict[str, Any]:
        offer_id, now, day = uuid4(), self.keeper.clock.now(), self.ground.day(start)
        # Nobody can use a date that is over, so nothing is kept beyond it.
        expires_at = min(now + timedelta(seconds=self.keeper.settings.hold_ttl_s), day.ends_at)
        return {
            "offer_id": offer_id,
            "place_id": place.place_id,
            "hold_id": None,
            "slot_id": announce.slot_id(self.product, offer_id),
            "table_numbers": [],
            "start_at": day.starts_at,
            "end_at": day.ends_at,
            "service_date": day.date,
            "expires_at": expires_at,
            "now": now,
        }
