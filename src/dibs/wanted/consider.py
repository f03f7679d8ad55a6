"""The rule: what is looked for often enough, and matches one place, is watched by itself."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from dibs.clock import Clock
from dibs.db import Database
from dibs.demand.requests import Requests
from dibs.errors import Conflict
from dibs.telemetry import metrics_wanted
from dibs.wanted import store
from dibs.wanted.catalogue import Catalogue
from dibs.wanted.model import Group, Reason, Settings, Verdict
from dibs.wanted.watch import WatchDemand
from dibs.work import Queue, claim, settle

WANTED = Queue(table="wanted", key="request_id", key_type="bigint", ready="item.status = 'open'")
BATCH = 25
LEASE_S = 120.0
IDLE_S = 10.0
# Longer than the clocks of two hosts differ, and than a sighting takes to be committed.
OVERLAP = timedelta(minutes=5)


class Consider:
    """Looks at what is wanted often, with a lease on each."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        requests: Requests,
        catalogue: Catalogue,
        watch: WatchDemand,
        settings: Settings,
        *,
        worker: str,
    ) -> None:
        self._database = database
        self._clock = clock
        self._requests = requests
        self._catalogue = catalogue
        self._watch = watch
        self._settings = settings
        self._worker = worker
        # Only a sighting makes something wanted often: after the first pass those since the last one are enough.
        self._raised_until: datetime | None = None

    async def run_once(self) -> float:
        if not self._settings.enabled:
            return IDLE_S
        await self._raise()
        async with self._database.transaction() as connection:
            claimed = await claim(
                connection, WANTED, limit=BATCH, lease_s=LEASE_S, worker=self._worker, now=self._clock.for_database()
            )
        if not claimed.keys:
            return IDLE_S
        groups = await self._catalogue.groups()
        for request_id in claimed.keys:
            await self._consider(request_id, groups, claimed.token)
        return 0.0 if len(claimed.keys) == BATCH else IDLE_S

    async def _raise(self) -> None:
        now = self._clock.now()
        window = now - timedelta(days=self._settings.window_days)
        async with self._database.transaction() as connection:
            await store.raise_wanted(
                connection,
                since=max(window, self._raised_until or window),
                today=now.date(),
                window_days=self._settings.window_days,
                occurrences=self._settings.occurrences,
                now=now,
            )
        self._raised_until = now - OVERLAP

    async def _consider(self, request_id: int, groups: list[Group], token: UUID) -> None:
        now = self._clock.now()
        if await self._sightings(request_id, now) < self._settings.occurrences:
            # Its time is over; the next sightings raise it again.
            await self._settle(request_id, token, None, None)
            return
        request = await self._requests.get(request_id)
        verdict = await self._catalogue.find(request, groups)
        if verdict.group:
            try:
                await self._watch.take(request, verdict.group, by="rule")
            except Conflict:
                verdict = Verdict(Reason.NOT_WATCHABLE, None, verdict.candidates)
        metrics_wanted.VERDICTS.labels(verdict.reason).inc()
        if verdict.group is None:
            again = now + timedelta(seconds=self._settings.look_again_s)
            await self._settle(request_id, token, verdict, again)

    async def _sightings(self, request_id: int, now: datetime) -> int:
        async with self._database.connection() as connection:
            return await store.count_within(
                connection, request_id=request_id, today=now.date(), window_days=self._settings.window_days
            )

    async def _settle(self, request_id: int, token: UUID, verdict: Verdict | None, due_at: datetime | None) -> None:
        async with self._database.transaction() as connection:
            held = await settle(connection, WANTED, token, {request_id: due_at})
            if held and verdict:
                await store.put_verdict(
                    connection, request_id=request_id, verdict=verdict.reason, candidates=verdict.candidates
                )
