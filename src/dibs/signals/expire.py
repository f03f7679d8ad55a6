"""Ends signals with their date, and removes them after their retention, in small batches."""

from __future__ import annotations

from datetime import timedelta

from dibs.clock import Clock
from dibs.db import Database
from dibs.signals import signal_store as store
from dibs.signals.announce import baseline, read_edges
from dibs.telemetry import emit
from dibs.telemetry import events_signals as events

BATCH = 1_000
REST_S = 60.0


class Expire:
    """Keeps the table of signals to what can still be served, and `days` more."""

    def __init__(self, database: Database, clock: Clock, days: int) -> None:
        self._database = database
        self._clock = clock
        self._days = days

    async def run_once(self) -> float:
        """Ends one batch and removes one; 0 when there may be more."""
        ended = await self._end()
        removed = await self._remove()
        return 0.0 if BATCH in (ended, removed) else REST_S

    async def _end(self) -> int:
        """Nobody is served an expired signal, ended or not; the hub learns of it here, without an event."""
        now = self._clock.now()
        async with self._database.transaction() as connection:
            done = await store.end_signals(connection, now=now, limit=BATCH)
            await baseline(connection, read_edges(done.edges), now)
        if done.ended:
            emit(events.SIGNALS_ENDED, ended=done.ended)
        return done.ended

    async def _remove(self) -> int:
        before = self._clock.now() - timedelta(days=self._days)
        async with self._database.transaction() as connection:
            removed = await store.remove_signals(connection, before=before, limit=BATCH)
        if removed:
            emit(events.SIGNALS_REMOVED, removed=removed)
        return removed
