"""Goes through the line of a day on which room may have opened, and offers it to the first who fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid4

from dibs.capacity import Capacity, Filters, Occasion, Quote, fitting_starts, longest_stay, quote, release_hold
from dibs.capacity.model import Floor
from dibs.clock import Clock
from dibs.db import Database, Keyspace, advisory_lock
from dibs.offers import announce, offer_store, place_store
from dibs.offers.model import Settings, Waiting
from dibs.offers.rules import comes_first, passed_over, turns
from dibs.openings import put_slots, record
from dibs.telemetry import emit
from dibs.telemetry import events_offers as events
from dibs.work import Queue, claim

CHECKS = Queue(table="line_check", key="check_key")
BATCH = 8
LEASE_S = 60.0
IDLE_S = 5.0


@dataclass(frozen=True, slots=True)
class Day:
    """A day of a restaurant that is to be looked at."""

    restaurant_id: UUID
    restaurant: str
    service_date: date


class Usher:
    """Serves the line; any number of processes may run one."""

    def __init__(
        self, database: Database, clock: Clock, capacity: Capacity, settings: Settings, *, worker: str
    ) -> None:
        self._database = database
        self._clock = clock
        self._capacity = capacity
        self._settings = settings
        self._worker = worker

    async def run_once(self) -> float:
        """Looks at the days that are due; 0 when there may be more."""
        async with self._database.transaction() as connection:
            claimed = await claim(
                connection,
                CHECKS,
                limit=BATCH,
                lease_s=LEASE_S,
                worker=self._worker,
                now=self._clock.for_database(),
            )
            checks = await offer_store.load_checks(connection, check_keys=claimed.keys)
        for check in checks:
            await self.serve(Day(check["restaurant_id"], check["slug"], check["service_date"]))
            async with self._database.transaction() as connection:
                await offer_store.settle_check(
                    connection, check_key=check["check_key"], token=claimed.token, changes=check["changes"]
                )
        return 0.0 if len(claimed.keys) == BATCH else IDLE_S

    async def serve(self, day: Day) -> int:
        """Makes every offer that can be made now; how many there were."""
        floor = (await self._capacity.ground(day.restaurant)).floor
        stay = longest_stay(floor)
        # The lock keeps the order when a lease ran out and two ushers look at one day.
        async with self._database.transaction() as guard:
            await advisory_lock(guard, Keyspace.LINE, f"{day.restaurant_id}:{day.service_date}")
            async with self._database.connection() as connection:
                line = await place_store.list_waiting(
                    connection, restaurant_id=day.restaurant_id, service_date=day.service_date
                )
            served = await self._walk(floor, day, line)
            await self._note(line, passed_over(line, served, stay))
        return len(served)

    async def _walk(self, floor: Floor, day: Day, line: Sequence[Waiting]) -> dict[int, datetime]:
        served: dict[int, datetime] = {}
        now = self._clock.now()
        for turn in turns(line, self._settings, now, longest_stay(floor)):
            starts = await fitting_starts(self._capacity, day.restaurant, turn.place.party_size, turn.starts)
            for start in starts:
                if await self._offer(floor, day, turn.place, start):
                    served[turn.place.place_id] = start
                    break
        return served

    async def _offer(self, floor: Floor, day: Day, place: Waiting, start: datetime) -> bool:
        answer = await quote(
            self._capacity,
            Occasion(restaurant=day.restaurant, party_size=place.party_size, start_at=start),
            Filters(),
            held_by=f"line:{place.place_id}",
            ttl_s=self._settings.hold_ttl_s,
        )
        if answer.hold_id is None:
            return False
        if await self._write(floor, day, place, start, answer):
            return True
        # The person left, or was served, while we looked.
        await release_hold(self._capacity, answer.hold_id)
        return False

    async def _write(self, floor: Floor, day: Day, place: Waiting, start: datetime, answer: Quote) -> bool:
        offer_id, now = uuid4(), self._clock.now()
        values = self._values(day, place, start, answer, offer_id, now)
        payload = announce.payload_of(floor, offer_id, place.party_size, start, values["expires_at"])
        async with self._database.transaction() as connection:
            if not await offer_store.insert_offer(connection, values):
                return False
            offer = await offer_store.get_offer(connection, offer_id=offer_id)
            if offer is None:
                raise LookupError("an offer that was just made is not there")
            slot, event = announce.opened(day.restaurant, offer_id, offer.topic, payload, start, now)
            await put_slots(connection, [slot])
            recorded = await record(connection, [event])
            await offer_store.link_event(connection, offer_id=offer_id, open_event_id=recorded[0].open_event_id)
        emit(events.OFFERED, offer_id=str(offer_id), place_id=place.place_id, restaurant=day.restaurant)
        return True

    def _values(
        self, day: Day, place: Waiting, start: datetime, answer: Quote, offer_id: UUID, now: datetime
    ) -> dict[str, Any]:
        return {
            "offer_id": offer_id,
            "place_id": place.place_id,
            "restaurant_id": day.restaurant_id,
            "hold_id": answer.hold_id,
            "slot_id": announce.slot_id(day.restaurant, offer_id),
            "table_numbers": list(answer.candidate.table_numbers) if answer.candidate else [],
            "party_size": place.party_size,
            "start_at": start,
            "end_at": answer.window.end_at,
            "service_date": day.service_date,
            "expires_at": answer.expires_at,
            "now": now,
        }

    async def _note(self, line: Sequence[Waiting], passed: list[int]) -> None:
        """Counts who was passed over, and lets go of those who came first for long enough."""
        now = self._clock.now()
        over = [
            place.place_id
            for place in line
            if place.first_since is not None and not comes_first(place, self._settings, now)
        ]
        if not passed and not over:
            return
        async with self._database.transaction() as connection:
            if over:
                await place_store.forget_first(connection, place_ids=over)
            if passed:
                await place_store.note_passed(
                    connection, place_ids=passed, max_passed=self._settings.max_passed, now=now
                )
