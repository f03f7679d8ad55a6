"""Every opening becomes notices, once: one statement per batch of events."""

from __future__ import annotations

from datetime import timedelta

from dibs.clock import Clock
from dibs.db import Database
from dibs.notify import delivery_store as store
from dibs.telemetry import emit, metrics_notify
from dibs.telemetry import events_notify as events
from dibs.work import Wake, claim, settle

BATCH = 25
# A fan-out to a hundred thousand takes about a second; one that takes a minute has lost its worker.
LEASE_S = 60.0
OUT_OF_TURN = timedelta(milliseconds=50)
IDLE_S = 5.0
NOTICE_CHANNEL = "dibs_notice"


class FanOut:
    """Turns events into notices."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        wake: Wake,
        *,
        worker: str,
        verify_email: bool,
        expire_after_s: float,
        wave_size: int = 0,
        wave_s: float = 60.0,
    ) -> None:
        self._database = database
        self._clock = clock
        self._wake = wake
        self._worker = worker
        self._verify_email = verify_email
        self._expire_after_s = expire_after_s
        self._wave_size = wave_size
        self._wave_s = wave_s

    async def run_once(self) -> float:
        """One batch of events; 0 while there is more."""
        async with self._database.transaction() as connection:
            taken = await claim(
                connection,
                store.FANOUT,
                limit=BATCH,
                lease_s=LEASE_S,
                worker=self._worker,
                now=self._clock.for_database(),
            )
        if not taken.keys:
            return IDLE_S
        async with self._database.transaction() as connection:
            ready = await store.in_turn(connection, open_event_ids=taken.keys)
            again = self._clock.now() + OUT_OF_TURN
            held = await settle(
                connection,
                store.FANOUT,
                taken.token,
                {key: None if key in ready else again for key in taken.keys},
            )
            done = await store.fan_out(
                connection,
                open_event_ids=sorted(held & ready),
                verify_email=self._verify_email,
                expire_after_s=self._expire_after_s,
                now=self._clock.for_database(),
            )
            if self._wave_size:
                told = [event.open_event_id for event in done]
                await store.space_waves(connection, open_event_ids=told, wave_size=self._wave_size, wave_s=self._wave_s)
        self._report(done)
        return 0.0 if len(taken.keys) == BATCH else OUT_OF_TURN.total_seconds() if len(ready) < len(held) else IDLE_S

    def _report(self, done: list[store.FannedOut]) -> None:
        pending = sum(event.pending for event in done)
        skipped = sum(event.skipped for event in done)
        metrics_notify.NOTICES.labels("", "skipped").inc(skipped)
        if pending:
            self._wake.ring(NOTICE_CHANNEL)
        emit(events.FANNED_OUT, events=len(done), pending=pending, skipped=skipped)
