"""Removes events past their retention, a small batch at a time."""

from __future__ import annotations

from datetime import timedelta

from dibs.clock import Clock
from dibs.db import Database
from dibs.openings import store
from dibs.telemetry import emit, events
from dibs.work import Loop

BATCH = 1_000
REST_S = 600.0


class Prune:
    """Keeps the events of the last `days` days."""

    def __init__(self, database: Database, clock: Clock, days: int) -> None:
        self._database = database
        self._clock = clock
        self._days = days

    async def run_once(self) -> float:
        """Removes one batch; 0 when there may be more."""
        async with self._database.transaction() as connection:
            removed = await store.prune_events(
                connection, before=self._clock.now() - timedelta(days=self._days), limit=BATCH
            )
        if removed:
            emit(events.EVENTS_PRUNED, removed=removed)
        return 0.0 if removed == BATCH else REST_S

    def loop(self) -> Loop:
        return Loop("openings.prune", self.run_once, idle_s=REST_S)
