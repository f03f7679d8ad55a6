"""Removes places and offers past their retention, a small batch at a time."""

from __future__ import annotations

from datetime import timedelta

from dibs.clock import Clock
from dibs.db import Database
from dibs.offers import place_store
from dibs.telemetry import emit
from dibs.telemetry import events_offers as events

BATCH = 500
REST_S = 600.0


class PruneLine:
    """Keeps what ended, or was for a date, in the last `days` days."""

    def __init__(self, database: Database, clock: Clock, days: int) -> None:
        self._database = database
        self._clock = clock
        self._days = days

    async def run_once(self) -> float:
        """Removes one batch; 0 when there may be more."""
        before = self._clock.now() - timedelta(days=self._days)
        async with self._database.transaction() as connection:
            removed = await place_store.prune_places(connection, before=before, limit=BATCH)
        async with self._database.transaction() as connection:
            checks = await place_store.prune_checks(connection, limit=BATCH)
        if removed:
            emit(events.PLACES_PRUNED, removed=removed)
        return 0.0 if BATCH in (removed, checks) else REST_S
