"""Keeps the days of snapshots: makes tomorrow's, drops those past their retention."""

from datetime import timedelta

from dibs.clock import Clock
from dibs.db import Database, Keyspace, try_advisory_lock
from dibs.telemetry import emit, events_watch
from dibs.watch import state_store
from dibs.work import Loop

DAYS_AHEAD = 3
REST_S = 3600.0


class SnapshotRetention:
    def __init__(self, database: Database, clock: Clock, days: int) -> None:
        self._database = database
        self._clock = clock
        self._days = days

    async def run_once(self) -> float:
        """One pass; another process that is at it already is left to it."""
        today = self._clock.now().date()
        async with self._database.transaction() as connection:
            if not await try_advisory_lock(connection, Keyspace.PARTITION, "watch_snapshot"):
                return REST_S
            for offset in range(DAYS_AHEAD + 1):
                await state_store.make_snapshot_day(connection, day=today + timedelta(days=offset))
            before = today - timedelta(days=self._days)
            dropped = await state_store.drop_snapshot_days(connection, before=before)
            await state_store.prune_status_events(connection, before=self._clock.now() - timedelta(days=self._days))
        if dropped:
            emit(events_watch.SNAPSHOTS_DROPPED, days=dropped)
        return REST_S

    def loop(self) -> Loop:
        return Loop("watch.retention", self.run_once, idle_s=REST_S)
