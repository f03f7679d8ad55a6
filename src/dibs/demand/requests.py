"""Requests as people see them: list, look, and run one now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dibs.clock import Clock
from dibs.db import Database, Keyspace, advisory_lock
from dibs.demand import request_store as store
from dibs.demand.model import CollectionRequest, Decision, Outcome, Status
from dibs.errors import Conflict, NotFound
from dibs.places import community_store
from dibs.places.communities import location_key_of
from dibs.telemetry import emit, events_demand


@dataclass(frozen=True, slots=True)
class Requests:
    """The demand list."""

    db: Database
    clock: Clock

    async def list(
        self,
        *,
        limit: int,
        status: str | None = None,
        location_key: str | None = None,
        before: tuple[datetime, int] | None = None,
    ) -> list[CollectionRequest]:
        """The newest sightings first."""
        place = location_key.lower() if location_key else None
        async with self.db.connection() as connection:
            return await store.list_requests(connection, limit=limit, status=status, location_key=place, before=before)

    async def get(self, request_id: int) -> CollectionRequest:
        async with self.db.connection() as connection:
            found = await store.get_request(connection, request_id=request_id)
        if found is None:
            raise NotFound(f"There is no collection request {request_id}.")
        return found

    async def run(self, request_id: int, location_key: str | None = None) -> CollectionRequest:
        """Queues it now, whatever its cooldown; the provider's pace still holds. Again while it runs: no change."""
        request = await self.get(request_id)
        if request.status in {Status.QUEUED, Status.PROCESSING}:
            return request
        place = await self._place(request, location_key)
        async with self.db.transaction() as connection:
            await advisory_lock(connection, Keyspace.SIGHT, "queue")
            await store.queue_requests(
                connection,
                request_ids=[request_id],
                place=place,
                bias=None,
                now=self.clock.now(),
                despite_cooldown=True,
            )
        emit(events_demand.REQUEST_QUEUED_BY_HAND, request_id=request_id, term=request.term, location_key=place)
        after = await self.get(request_id)
        if after.status not in {Status.QUEUED, Status.PROCESSING}:
            raise Conflict(
                f"“{request.term}” is being collected in {place} for another request; wait until it is done.",
                code="already_running",
            )
        return after

    async def _place(self, request: CollectionRequest, asked: str | None) -> str:
        """Where it runs: its own place, or the one that was asked for where it has none of its own."""
        place = request.location_key or (location_key_of(asked) if asked else request.run_location_key)
        if asked and place != location_key_of(asked):
            raise Conflict(f"This request belongs to {place}; it cannot run in {asked}.", code="other_place")
        if place is None:
            raise Conflict(
                "Nobody knows where to look: the request has no place. Name one with location_key.",
                code="no_location",
            )
        async with self.db.connection() as connection:
            community = await community_store.get_community(connection, location_key=place)
        if community is None:
            raise NotFound(f"There is no community {place}.")
        if not community.active:
            raise Conflict(f"The community {place} is not active; activate it first.", code="inactive_community")
        return place


def why_not(request: CollectionRequest, now: datetime) -> str | None:
    """Why it is not being collected at this moment, in the words of the decisions; None while it is."""
    if request.status in {Status.QUEUED, Status.PROCESSING}:
        return None
    if request.cooldown_until is not None and now < request.cooldown_until:
        return Decision.COOLDOWN if request.last_outcome != Outcome.DEFERRED else Decision.DEFERRED
    return None if request.due_at is not None else request.refused
