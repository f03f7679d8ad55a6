"""The line as people and staff see it: who waits, in which order, and moving somebody."""

from __future__ import annotations

from datetime import date
from typing import Any

from dibs.clock import Clock
from dibs.db import Database, Keyspace, advisory_lock
from dibs.errors import Conflict, Invalid, NotFound
from dibs.offers import offer_store, place_store
from dibs.offers.claim import Claim
from dibs.offers.model import Offer, Place, Settings
from dibs.telemetry import emit
from dibs.telemetry import events_offers as events


class Line:
    """Reads and reorders lines."""

    def __init__(self, database: Database, clock: Clock, settings: Settings, claim: Claim) -> None:
        self._database = database
        self._clock = clock
        self._settings = settings
        self._claim = claim

    async def list_places(
        self,
        *,
        restaurant: str | None = None,
        product: str | None = None,
        day: date | None = None,
        live: bool = True,
        after: int | None = None,
        limit: int = 100,
    ) -> list[Place]:
        """Places in the order of their line; `day` is the service date, or one of the dates that they wait for."""
        async with self._database.connection() as connection:
            return await place_store.list_places(
                connection,
                restaurant=restaurant,
                product=product,
                day=day,
                live=live,
                after=after,
                limit=limit,
                settings=self._numbers(),
            )

    async def get(self, place_id: int) -> Place:
        async with self._database.connection() as connection:
            place = await place_store.get_place(connection, place_id=place_id, settings=self._numbers())
        if place is None:
            raise NotFound(f"There is no place {place_id} in any line.")
        return place

    async def move(self, place_id: int, position: int) -> Place:
        """Puts a place at `position` of its line, 1 being the first."""
        if position < 1:
            raise Invalid("position counts from 1, the first in line.")
        async with self._database.transaction() as connection:
            line_key = await place_store.line_of_place(connection, place_id=place_id)
            if line_key is None:
                raise NotFound(f"There is no place {place_id} in any line.")
            # Before any row: an usher who walks this line holds the lock and waits for rows.
            await advisory_lock(connection, Keyspace.LINE, line_key)
            rank = await place_store.rank_between(connection, place_id=place_id, position=position)
            if rank is None or not await place_store.set_rank(connection, place_id=place_id, rank=rank):
                raise Conflict("This place is no longer in line.", code="not_in_line")
        return await self.get(place_id)

    async def leave(self, place_id: int, *, by: str = "left") -> Place:
        """Takes a place out of its line; again it changes nothing."""
        if await self._claim.leave(place_id, by):
            emit(events.LEFT, place_id=place_id, reason=by)
        return await self.get(place_id)

    async def offers_of_event(self, open_event_id: int) -> list[Offer]:
        async with self._database.connection() as connection:
            return await offer_store.offers_of_event(connection, open_event_id=open_event_id)

    def _numbers(self) -> dict[str, Any]:
        return {
            "max_passed": self._settings.max_passed,
            "first_for_s": self._settings.first_for_s,
            "now": self._clock.now(),
        }
