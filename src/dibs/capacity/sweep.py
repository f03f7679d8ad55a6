"""Ends holds that have run out and tells of them. It may lag or be dead: nobody waits for it."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from dibs.capacity import booking_store, hold_store, observation_store
from dibs.capacity.context import Capacity
from dibs.capacity.hold_store import SweptHold
from dibs.telemetry import events_capacity, metrics_capacity
from dibs.work import Queue, claim, settle

HOLDS = Queue(table="table_holds", key="hold_id", key_type="uuid")
BATCH = 200
LEASE_S = 30.0
# Ended holds, first answers to idempotency keys and observations are kept this long.
RETENTION = timedelta(days=30)
PRUNE_EVERY = timedelta(hours=1)


class Sweeper:
    """One pass is one batch; passes of several processes share the work."""

    def __init__(self, capacity: Capacity, worker: str) -> None:
        self._capacity = capacity
        self._worker = worker
        self._pruned_at: datetime | None = None

    async def run_once(self) -> float:
        """Seconds until the next pass: none while there is more."""
        swept = await self.sweep()
        await self._expire_bookings()
        await self._prune()
        return 0.0 if swept >= BATCH else self._capacity.settings.sweep_interval_s

    async def sweep(self) -> int:
        """How many holds were looked at."""
        now = self._capacity.clock.for_database()
        async with self._capacity.db.transaction() as connection:
            claimed = await claim(connection, HOLDS, limit=BATCH, lease_s=LEASE_S, worker=self._worker, now=now)
        if not claimed.keys:
            return 0
        for hold in await self._end(claimed.token, claimed.keys):
            self._tell(hold)
        return len(claimed.keys)

    async def _end(self, token: UUID, hold_ids: list[UUID]) -> list[SweptHold]:
        now = self._capacity.clock.for_database()
        async with self._capacity.db.transaction() as connection:
            held = await settle(connection, HOLDS, token, dict.fromkeys(sorted(hold_ids)))
            await hold_store.expire_holds(connection, hold_ids=sorted(held), now=now)
            await hold_store.requeue_holds(connection, hold_ids=sorted(held))
            return await hold_store.list_swept(connection, hold_ids=sorted(held))

    def _tell(self, hold: SweptHold) -> None:
        events = {"expired": events_capacity.HOLD_EXPIRED, "released": events_capacity.HOLD_RELEASED}
        event = events.get(hold.status)
        if event is None:
            return
        metrics_capacity.HOLDS_SWEPT.inc()
        self._capacity.recorder.record(
            event,
            restaurant_id=hold.restaurant_id,
            booking_id=hold.booking_id,
            hold_id=hold.hold_id,
            zone_id=hold.zone_id,
            tables=hold.table_ids,
            ended_at=hold.ended_at,
            held_by=hold.held_by,
        )

    async def _expire_bookings(self) -> None:
        async with self._capacity.db.transaction() as connection:
            await booking_store.expire_bookings(connection, limit=BATCH, now=self._capacity.clock.for_database())

    async def _prune(self) -> None:
        """In small batches, so that nothing waits long behind it; the rest follows with later passes."""
        now = self._capacity.clock.now()
        if self._pruned_at is not None and now - self._pruned_at < PRUNE_EVERY:
            return
        self._pruned_at = now
        before = now - RETENTION
        async with self._capacity.db.transaction() as connection:
            await hold_store.prune_holds(connection, before=before, limit=BATCH * 25)
            await booking_store.prune_answers(connection, before=before, limit=BATCH * 25)
            await observation_store.prune_observations(connection, before=before, limit=BATCH * 25)
