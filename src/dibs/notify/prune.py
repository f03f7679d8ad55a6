"""Removes notices past their retention in small batches, and measures what waits."""

from __future__ import annotations

from datetime import timedelta

from dibs.clock import Clock
from dibs.db import Database
from dibs.notify import delivery_store as store
from dibs.notify import subscription_store
from dibs.notify.limits import REQUEST_WINDOW
from dibs.telemetry import emit, metrics_notify
from dibs.telemetry import events_notify as events

BATCH = 1_000
PRUNE_EVERY_S = 600.0
MEASURE_EVERY_S = 10.0


class Prune:
    """Keeps the notices of the last `days` days; subscriptions keep their whole history."""

    def __init__(self, database: Database, clock: Clock, *, days: int) -> None:
        self._database = database
        self._clock = clock
        self._days = days

    async def run_once(self) -> float:
        """One batch; 0 when there may be more."""
        now = self._clock.now()
        async with self._database.transaction() as connection:
            removed = await store.prune_notifications(connection, before=now - timedelta(days=self._days), limit=BATCH)
            await subscription_store.forget_requests(connection, before=now - REQUEST_WINDOW)
        if removed:
            emit(events.NOTICES_PRUNED, removed=removed)
        return 0.0 if removed == BATCH else PRUNE_EVERY_S


class Measure:
    """Sets the gauges of what waits."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def run_once(self) -> float:
        async with self._database.connection() as connection:
            waiting = await store.pending_now(connection, now=self._clock.for_database())
        metrics_notify.PENDING.set(waiting.pending)
        metrics_notify.OLDEST_PENDING.set(waiting.oldest_s or 0.0)
        metrics_notify.INTERRUPTED.set(waiting.interrupted)
        return MEASURE_EVERY_S
