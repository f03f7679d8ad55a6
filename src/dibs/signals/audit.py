"""Compares every clean signal with the truth. It must always find nothing."""

from __future__ import annotations

from datetime import date

import msgspec

from dibs.clock import Clock
from dibs.db import Database
from dibs.signals import signal_store as store
from dibs.signals.model import Drift
from dibs.telemetry import emit
from dibs.telemetry import events_signals as events
from dibs.telemetry import metrics_signals as metrics

BATCH = 2_000
# Between batches in the background: the audit may take long, and nobody should notice it.
BREATH_S = 0.25


class Audit:
    """A walk over all signals, a batch at a time."""

    def __init__(self, database: Database, clock: Clock, interval_s: float) -> None:
        self._database = database
        self._clock = clock
        self._interval_s = interval_s
        self._start_again()

    def _start_again(self) -> None:
        self.compared = 0
        self.drifts: list[Drift] = []
        self._after = (0, date.min)

    async def run_once(self) -> float:
        """One batch; a short pause until the next, a long one after the last."""
        if await self.step():
            return BREATH_S
        self._start_again()
        return self._interval_s

    async def step(self) -> bool:
        """One batch; whether there are more."""
        number, day = self._after
        async with self._database.connection() as connection:
            done = await store.audit(connection, after_no=number, after_date=day, now=self._clock.now(), limit=BATCH)
        self.compared += done.compared
        for drift in msgspec.convert(done.drifts, list[Drift]):
            self._report(drift)
        if done.last_no is not None and done.last_date is not None and done.looked_at == BATCH:
            self._after = (done.last_no, done.last_date)
            return True
        emit(events.AUDITED, compared=self.compared, drifts=len(self.drifts))
        metrics.LAST_AUDIT.set(self._clock.now().timestamp())
        return False

    def _report(self, drift: Drift) -> None:
        self.drifts.append(drift)
        metrics.DRIFTS.inc()
        emit(events.DRIFT_FOUND, **msgspec.structs.asdict(drift))


async def audit(database: Database, clock: Clock) -> tuple[int, list[Drift]]:
    """The whole walk at once: how many signals were compared, and those that differ."""
    walk = Audit(database, clock, 0.0)
    while await walk.step():
        pass
    return walk.compared, walk.drifts
