"""The queue of collection: what may run is claimed, reported on, and settled; whoever collects sits between."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from dibs.clock import Clock
from dibs.db import Connection, Database, Keyspace, advisory_lock
from dibs.demand import request_store, run_store
from dibs.demand.cooldown import cooldown_until, status_after
from dibs.demand.decide import Limits
from dibs.demand.model import Attempt, Bias, Outcome, Progress, Reason, Run, RunResult, Sort, SortRun
from dibs.demand.run_store import StartedRun
from dibs.demand.sorts import history_after
from dibs.places.geo import Point
from dibs.places.model import EntityType
from dibs.telemetry import emit, events_demand, metrics_demand
from dibs.work import Claim, Queue, claim, settle

COLLECTION = Queue(
    table="collection_request", key="request_id", key_type="bigint", ready="item.status IN ('queued', 'processing')"
)
# Every report of progress makes it longer; a search page or a post's comments take seconds.
LEASE_S = 120.0


@dataclass(frozen=True, slots=True)
class CollectionQueue:
    """Hands out requests to collect, one run per (term, type, place) at a time and never inside a cooldown."""

    db: Database
    clock: Clock
    limits: Limits
    worker: str

    async def promote(self) -> list[int]:
        """Lets requests whose rest is over join the queue, while little waits."""
        async with self.db.transaction() as connection:
            await advisory_lock(connection, Keyspace.SIGHT, "queue")
            pressure = await request_store.read_pressure(connection)
            metrics_demand.WAITING.set(pressure.waiting)
            most = self.limits.max_waiting - pressure.waiting
            if most <= 0 or pressure.batches >= self.limits.max_batches:
                return []
            promoted = await run_store.promote_due(connection, most=most, now=self.clock.now())
        if promoted:
            emit(events_demand.REQUESTS_PROMOTED, requests=promoted)
        return promoted

    async def claim(self, limit: int = 1, lease_s: float = LEASE_S) -> list[Run]:
        """Takes requests that are queued, or whose worker died; they are processing from here on."""
        now = self.clock.for_database()
        async with self.db.transaction() as connection:
            held = await claim(connection, COLLECTION, limit=limit, lease_s=lease_s, worker=self.worker, now=now)
            rows = await run_store.start_runs(connection, token=held.token, request_ids=held.keys, now=now)
        runs = [_run(held, row) for row in rows]
        for run in runs:
            emit(events_demand.RUN_STARTED, request_id=run.request_id, term=run.term, location_key=run.location_key)
        return runs

    async def report(
        self, run: Run, progress: Progress, attempted: Iterable[Attempt] = (), lease_s: float = LEASE_S
    ) -> bool:
        """Shows how far the run is and renews its lease; False: it is lost, stop."""
        async with self.db.connection() as connection:
            return await run_store.report_progress(
                connection,
                token=run.token,
                request_id=run.request_id,
                progress=progress,
                attempted=attempted,
                lease_s=lease_s,
                now=self.clock.for_database(),
            )

    async def settle(self, run: Run, result: RunResult) -> bool:
        """Ends the run, fenced by its lease; False: somebody else has it now, and nothing was written."""
        async with self.db.transaction() as connection:
            settled = await self._settle(connection, run, result)
        if not settled:
            emit(events_demand.RUN_LOST, request_id=run.request_id, term=run.term)
            return False
        metrics_demand.RUNS.labels(result.outcome).inc()
        metrics_demand.RUN_SECONDS.observe(max(0.0, (self.clock.now() - run.started_at).total_seconds()))
        emit(
            events_demand.RUN_FINISHED,
            request_id=run.request_id,
            term=run.term,
            location_key=run.location_key,
            outcome=result.outcome,
            posts=result.posts,
            mentions=result.mentions,
            error=result.error,
        )
        return True

    async def _settle(self, connection: Connection, run: Run, result: RunResult) -> bool:
        now = self.clock.now()
        errors = run.errors_in_a_row + 1 if result.outcome is Outcome.ERROR else 0
        until = cooldown_until(result.outcome, run.safe_interval_days, errors, now)
        if not await settle(connection, COLLECTION, run.token, {run.request_id: until}):
            return False
        await run_store.finish_run(
            connection,
            request_id=run.request_id,
            outcome=result.outcome,
            status=status_after(result.outcome),
            attempted=result.attempted,
            sort_history=history_after(run.sort_history, result.attempted),
            cooldown_until=until,
            errors_in_a_row=errors,
            posts=result.posts,
            mentions=result.mentions,
            error=result.error,
            now=now,
        )
        return True


def _run(held: Claim, row: StartedRun) -> Run:
    bias = None if row.bias_lat is None or row.bias_lng is None else Bias(row.bias_lat, row.bias_lng, row.bias_radius_m)
    return Run(
        token=held.token,
        request_id=row.request_id,
        term=row.term,
        entity_type=EntityType(row.entity_type),
        reason=Reason(row.reason),
        location_key=row.location_key,
        center=Point(row.lat, row.lng),
        safe_interval_days=row.safe_interval_days,
        bias=bias,
        sort_history=msgspec.convert(row.sort_history, dict[Sort, SortRun]),
        errors_in_a_row=row.errors_in_a_row,
        started_at=row.started_at,
    )
