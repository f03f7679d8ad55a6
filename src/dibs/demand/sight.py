"""Records what was looked for, and queues what is worth collecting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dibs.clock import Clock
from dibs.db import Connection, Database, Keyspace, advisory_lock
from dibs.demand import request_store as store
from dibs.demand.cooldown import DEFERRAL
from dibs.demand.decide import Limits, Sighting, Standing, decide_collection, refuse
from dibs.demand.eta import eta_ms, message
from dibs.demand.model import Bias, Decision, OnDemand, Pressure, Target, Wanted
from dibs.demand.request_store import RequestStanding
from dibs.places.names import key_of
from dibs.telemetry import emit, events_demand, metrics_demand

QUEUE_CHANNEL = "dibs_collect"


@dataclass(frozen=True, slots=True)
class Sight:
    """Everything that was wanted and not found goes through here."""

    db: Database
    clock: Clock
    limits: Limits

    async def __call__(self, wanted: Sequence[Wanted], sighting: Sighting, bias: Bias | None = None) -> OnDemand:
        """Records each wanted thing once, decides, and says what was set in motion."""
        once = list({(key_of(one.term), one.entity_type): one for one in reversed(wanted)}.values())[::-1]
        if not once:
            return OnDemand()
        now = self.clock.now()
        async with self.db.connection() as connection:
            standings = await store.sight(
                connection,
                wanted=once,
                place=sighting.location_key,
                refused=refuse(sighting, self.limits),
                bias=bias,
                now=now,
            )
        # Without pressure, so that only what may be queued takes the lock and is decided again.
        decisions = self._decide(standings, sighting, Pressure(), now)
        pressure = Pressure()
        if Decision.QUEUED in decisions and sighting.location_key:
            decisions, pressure = await self._queue(standings, sighting, sighting.location_key, bias, now)
        return self._told(once, standings, decisions, pressure, sighting)

    def _decide(
        self, standings: Sequence[RequestStanding], sighting: Sighting, pressure: Pressure, now: datetime
    ) -> list[Decision]:
        decisions: list[Decision] = []
        for standing in standings:
            decision = decide_collection(
                sighting,
                Standing(standing.running, standing.cooldown_until),
                pressure,
                queued_by_this_search=decisions.count(Decision.QUEUED),
                limits=self.limits,
                now=now,
            )
            decisions.append(decision)
        return decisions

    async def _queue(
        self, standings: Sequence[RequestStanding], sighting: Sighting, place: str, bias: Bias | None, now: datetime
    ) -> tuple[list[Decision], Pressure]:
        """Decides again under the lock that lets one search queue at a time, and writes what was decided."""
        ids = [standing.request_id for standing in standings]
        async with self.db.transaction() as connection:
            await advisory_lock(connection, Keyspace.SIGHT, "queue")
            pressure = await store.read_pressure(connection)
            current = await store.read_standing(connection, request_ids=ids, place=place)
            decisions = self._decide(current, sighting, pressure, now)
            granted = await self._write(connection, dict(zip(ids, decisions, strict=True)), place, bias, now)
        # The rows themselves have the last word: what was lost to a run that began meanwhile is running.
        lost = {id_ for id_, decision in zip(ids, decisions, strict=True) if decision is Decision.QUEUED} - granted
        final = [
            Decision.ALREADY_RUNNING if id_ in lost else decision for id_, decision in zip(ids, decisions, strict=True)
        ]
        return final, pressure

    async def _write(
        self, connection: Connection, decisions: dict[int, Decision], place: str, bias: Bias | None, now: datetime
    ) -> set[int]:
        queued = [id_ for id_, decision in decisions.items() if decision is Decision.QUEUED]
        deferred = [id_ for id_, decision in decisions.items() if decision is Decision.DEFERRED]
        if deferred:
            until = now + DEFERRAL
            await store.defer_requests(connection, request_ids=deferred, place=place, bias=bias, until=until)
        if not queued:
            return set()
        return await store.queue_requests(connection, request_ids=queued, place=place, bias=bias, now=now)

    def _told(
        self,
        wanted: Sequence[Wanted],
        standings: Sequence[RequestStanding],
        decisions: Sequence[Decision],
        pressure: Pressure,
        sighting: Sighting,
    ) -> OnDemand:
        targets = tuple(
            Target(one.term, one.entity_type, one.reason, decision, standing.request_id)
            for one, standing, decision in zip(wanted, standings, decisions, strict=True)
        )
        for target in targets:
            metrics_demand.SIGHTINGS.labels(target.decision).inc()
            if target.decision in {Decision.QUEUED, Decision.DEFERRED}:
                emit(
                    events_demand.REQUEST_DECIDED,
                    request_id=target.request_id,
                    term=target.term,
                    decision=target.decision,
                    location_key=sighting.location_key,
                )
        queued = [target.term for target in targets if target.decision is Decision.QUEUED]
        if not queued:
            return OnDemand(targets=targets)
        eta = eta_ms(pressure.backlog, pressure.mean_run_ms)
        return OnDemand(True, eta, message(queued, eta), targets)
