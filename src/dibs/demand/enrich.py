"""Enriching: restaurants get their place, and what may be kept of it is read again in time.

    waiting ─▶ matched ─(before refresh_days)─▶ read again ─▶ matched
       │  └──▶ no_match         a candidate is rejected; a known one is tried again after a long rest
       │  └──▶ owned_by_other   the place belongs to a restaurant of another community: left, with the reason
       │  └──▶ merged           it belongs to one of the same community: the two are one
       └─────▶ error            tried again, sooner at first

A place belongs to one entity; the unique index has the last word. The place id is kept, its location, address
and types only for `refresh_days`: what could not be read again by then is forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from psycopg.errors import UniqueViolation

from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.demand.cooldown import LONG_REST, retry_after
from dibs.demand.look_up import GONE, Found, look_up
from dibs.demand.match import MatchReason
from dibs.places import enrichment_store as store
from dibs.places import entity_store
from dibs.places.enrichment_store import LookUp
from dibs.places.merge import merge_restaurants
from dibs.places.model import EntityStatus
from dibs.sources.google_places import GooglePlacesSource
from dibs.sources.google_places_wire import Place
from dibs.sources.model import Failure
from dibs.telemetry import emit, events_collect, metrics_collect
from dibs.work import Claim, Queue, claim, settle

ENRICHMENT = Queue(table="entity_enrichment", key="entity_id", key_type="bigint")
ENRICH_CHANNEL = "dibs_enrich"
LEASE_S = 600.0
# Read again before the allowed age, with room for a few failed tries.
REFRESH_SPARE = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Enricher:
    """Looks restaurants up, a few at a time; any number of processes may have one."""

    db: Database
    clock: Clock
    places: GooglePlacesSource
    worker: str
    refresh_days: int
    within_km: float
    batch: int = 5

    async def run_once(self) -> float:
        """Looks up what is due; 0 while there is more."""
        if not self.places.configured:
            return 300.0
        held, wanted = await self.claim()
        for one in wanted:
            await self.enrich(held, one)
        return 0.0 if wanted else 60.0

    async def forget(self) -> int:
        """Removes what is older than the terms allow, found again or not."""
        now = self.clock.now()
        async with self.db.transaction() as connection:
            gone = await store.forget_places(connection, before=now - timedelta(days=self.refresh_days), now=now)
        if gone:
            emit(events_collect.PLACES_FORGOTTEN, entities=len(gone))
        return len(gone)

    async def forget_once(self) -> float:
        await self.forget()
        return 3600.0

    async def claim(self) -> tuple[Claim, list[LookUp]]:
        """Takes what is due, with everything the look-up needs to know."""
        now = self.clock.for_database()
        async with self.db.transaction() as connection:
            held = await claim(connection, ENRICHMENT, limit=self.batch, lease_s=LEASE_S, worker=self.worker, now=now)
            return held, await store.start_enrichment(connection, token=held.token, entity_ids=held.keys)

    async def enrich(self, held: Claim, wanted: LookUp) -> None:
        """One restaurant: asks with no connection held, then writes, fenced by the lease."""
        found = await self._find(wanted)
        try:
            await self._settle(held, wanted, found)
        except UniqueViolation:
            # Another worker gave the same place to another restaurant since we looked: now it has an owner.
            await self._settle(held, wanted, found)

    async def _find(self, wanted: LookUp) -> Found | Place | MatchReason | Failure:
        if wanted.google_place_id is None:
            return await look_up(self.places, wanted, self.within_km)
        place = await self.places.details(wanted.google_place_id)
        if isinstance(place, Failure) and place.status == GONE:
            async with self.db.transaction() as connection:
                await store.drop_place(
                    connection,
                    entity_id=wanted.entity_id,
                    google_place_id=wanted.google_place_id,
                    now=self.clock.now(),
                )
            return await look_up(self.places, wanted, self.within_km)
        return place

    async def _settle(self, held: Claim, wanted: LookUp, found: Found | Place | MatchReason | Failure) -> None:
        now = self.clock.now()
        async with self.db.transaction() as connection:
            if not await settle(connection, ENRICHMENT, held.token, {wanted.entity_id: self._due(wanted, found, now)}):
                return
            if isinstance(found, Failure):
                await self._failed(connection, wanted, found)
            elif isinstance(found, MatchReason):
                await self._unknown(connection, wanted, found, now)
            elif isinstance(found, Place):
                await self._attach(connection, wanted, Found(found, 1.0), now)
            else:
                await self._attach(connection, wanted, found, now)

    def _due(self, wanted: LookUp, found: Found | Place | MatchReason | Failure, now: datetime) -> datetime | None:
        if isinstance(found, Failure):
            told = timedelta(seconds=found.retry_after_s or 0)
            return now + max(retry_after(wanted.attempts + 1), min(told, timedelta(days=1)))
        if isinstance(found, MatchReason):
            return None if wanted.status == EntityStatus.CANDIDATE else now + LONG_REST
        return now + max(timedelta(days=self.refresh_days) - REFRESH_SPARE, timedelta(days=1))

    async def _failed(self, connection: Connection, wanted: LookUp, failure: Failure) -> None:
        await store.record_enrichment_error(connection, entity_id=wanted.entity_id, error=failure.reason)
        metrics_collect.LOOK_UPS.labels("error").inc()
        emit(events_collect.PLACE_FAILED, entity_id=wanted.entity_id, reason=failure.reason)

    async def _unknown(self, connection: Connection, wanted: LookUp, reason: MatchReason, now: datetime) -> None:
        await store.record_enrichment(connection, entity_id=wanted.entity_id, status="no_match", reason=reason)
        await self._reject_candidate(connection, wanted, now)
        metrics_collect.LOOK_UPS.labels("no_match").inc()
        emit(events_collect.PLACE_UNKNOWN, entity_id=wanted.entity_id, name=wanted.name, reason=reason)

    async def _reject_candidate(self, connection: Connection, wanted: LookUp, now: datetime) -> None:
        if wanted.status == EntityStatus.CANDIDATE:
            await entity_store.set_entity_status(
                connection, entity_id=wanted.entity_id, status=EntityStatus.REJECTED, now=now
            )

    async def _attach(self, connection: Connection, wanted: LookUp, found: Found, now: datetime) -> None:
        place = found.place
        attached = await entity_store.attach_place(
            connection,
            entity_id=wanted.entity_id,
            google_place_id=place.place_id,
            lat=place.lat,
            lng=place.lng,
            now=now,
        )
        if attached.owner_id is not None:
            await self._owned(connection, wanted, attached.owner_id, now)
            return
        await store.record_enrichment(
            connection,
            entity_id=wanted.entity_id,
            status="matched",
            reason=MatchReason.MATCHED,
            match_score=None if wanted.google_place_id == place.place_id else found.score,
            address=place.address,
            place_types=place.types,
            place_read_at=now,
        )
        known = wanted.google_place_id == place.place_id
        metrics_collect.LOOK_UPS.labels("refreshed" if known else "matched").inc()
        event = events_collect.PLACE_REFRESHED if known else events_collect.PLACE_ATTACHED
        emit(event, entity_id=wanted.entity_id, place_id=place.place_id)

    async def _owned(self, connection: Connection, wanted: LookUp, owner_id: int, now: datetime) -> None:
        """Never two owners: one of the same community is the same restaurant; any other keeps it."""
        owner = await entity_store.get_entity(connection, entity_id=owner_id)
        if owner and owner.location_key == wanted.location_key:
            await merge_restaurants(connection, from_id=wanted.entity_id, into_id=owner_id)
            metrics_collect.LOOK_UPS.labels("merged").inc()
            emit(events_collect.PLACE_MERGED, entity_id=wanted.entity_id, into=owner_id)
            return
        where = f"{owner.name} in {owner.location_key}" if owner else f"entity {owner_id}"
        await store.record_enrichment(
            connection, entity_id=wanted.entity_id, status="owned_by_other", reason=f"the place belongs to {where}"
        )
        await self._reject_candidate(connection, wanted, now)
        metrics_collect.LOOK_UPS.labels("owned_by_other").inc()
        emit(events_collect.PLACE_OWNED, entity_id=wanted.entity_id, owner=owner_id)
