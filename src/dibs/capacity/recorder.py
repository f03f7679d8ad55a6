"""Writes what happened to observability_events, off the hot path: bounded, in batches, never failing a request."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import Any
from uuid import UUID

import psycopg

from dibs.capacity import observation_store
from dibs.clock import Clock
from dibs.db import Database
from dibs.errors import DibsError
from dibs.telemetry import emit, events_capacity, metrics_capacity
from dibs.telemetry.catalogue import Event

MOST_WAITING = 10_000
BATCH = 500
PAUSE_S = 0.5
FAILED_PAUSE_S = 5.0
# Whatever a guest said about himself stays in the booking.
PRIVATE = frozenset({"guest", "name", "email", "phone", "notes", "note", "address", "allergies"})
REDACTED = "[redacted]"


def redacted(value: Any) -> Any:
    """The value without anything about a guest, however deep it lies."""
    if isinstance(value, dict):
        return {key: REDACTED if str(key).lower() in PRIVATE else redacted(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [redacted(one) for one in value]
    return value


class Recorder:
    """Takes observations in memory; a task that runs only while there are some writes them."""

    def __init__(self, database: Database, clock: Clock, most_waiting: int = MOST_WAITING) -> None:
        self._database = database
        self._clock = clock
        self._waiting: deque[dict[str, Any]] = deque()
        self._most_waiting = most_waiting
        self._task: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self.dropped = 0

    def record(
        self, event: Event, *, restaurant_id: UUID | None = None, booking_id: UUID | None = None, **context: Any
    ) -> None:
        """Never waits, never fails."""
        clean = redacted(context)
        emit(event, restaurant_id=str(restaurant_id), booking_id=booking_id and str(booking_id), **clean)
        if len(self._waiting) >= self._most_waiting:
            self._waiting.popleft()
            self._drop(1)
        self._waiting.append(
            {
                "occurred_at": self._clock.now(),
                "source": "capacity",
                "event_type": event.name,
                "severity": "warning" if event is events_capacity.RPC_CONFLICT else "info",
                "restaurant_id": restaurant_id,
                "booking_id": booking_id,
                "context": clean,
            }
        )
        metrics_capacity.OBSERVATIONS_WAITING.set(len(self._waiting))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain(), name="capacity observations")

    async def flush(self) -> None:
        """Writes what is waiting now; an error is the caller's."""
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
            try:
                async with self._database.connection() as connection:
                    await observation_store.insert_observations(connection, observations=batch)
            except BaseException:
                self._put_back(batch)
                raise
            metrics_capacity.OBSERVATIONS_WAITING.set(len(self._waiting))

    async def close(self) -> None:
        """Writes the rest; what cannot be written is counted as dropped."""
        self._closing.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=5)
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        if self._waiting:
            self._drop(len(self._waiting))
            self._waiting.clear()

    async def _drain(self) -> None:
        pause = PAUSE_S
        while self._waiting:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), pause)
            try:
                await self.flush()
                pause = PAUSE_S
            except (psycopg.Error, OSError, DibsError):
                pause = FAILED_PAUSE_S
                if self._closing.is_set():
                    return

    def _put_back(self, batch: list[dict[str, Any]]) -> None:
        room = self._most_waiting - len(self._waiting)
        self._drop(max(0, len(batch) - room))
        self._waiting.extendleft(reversed(batch[max(0, len(batch) - room) :]))

    def _drop(self, count: int) -> None:
        if not count:
            return
        self.dropped += count
        metrics_capacity.OBSERVATIONS_DROPPED.inc(count)
        # Once per thousand: a flood of observations must not become a flood of log lines.
        if self.dropped // 1000 != (self.dropped - count) // 1000 or self.dropped == count:
            emit(events_capacity.OBSERVATIONS_DROPPED, dropped=self.dropped)
