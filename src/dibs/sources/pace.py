"""How fast a provider may be asked: lanes, shared by all processes through the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from psycopg.pq import TransactionStatus

from dibs.clock import Clock
from dibs.config import Pace
from dibs.db import Connection
from dibs.sources import store
from dibs.sources.model import Failure, Fault
from dibs.telemetry import emit, events_watch

SPARE_S = 10.0
"""A lease outlives the request's own time limit by this much, so that a slow settle is not a lost one."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The right to have one request under way; it rests after each."""

    number: int
    holder: UUID
    degraded: bool
    insists: bool = False


class ProviderPace:
    """One provider's pace. Every method takes the connection of the caller's transaction."""

    def __init__(self, provider: str, pace: Pace, clock: Clock) -> None:
        self.provider = provider
        self.pace = pace
        self._clock = clock
        self._known = False

    @property
    def workers(self) -> int:
        return self.pace.workers

    @property
    def degraded_workers(self) -> int:
        """The careful pace is never the faster one."""
        return min(self.pace.degraded_workers, self.pace.workers)

    @property
    def lanes(self) -> dict[str, Any]:
        """How many there are at either pace, as statements take it."""
        return {"provider": self.provider, "workers": self.workers, "degraded_workers": self.degraded_workers}

    @property
    def lease_s(self) -> float:
        return self.pace.timeout_s + SPARE_S

    def gap_s(self, lane: Lane) -> float:
        return (self.pace.degraded_gap_ms if lane.degraded else self.pace.gap_ms) / 1000

    async def take(self, connection: Connection, wanted: int, *, insist: bool = False) -> list[Lane]:
        """Up to `wanted` lanes that have rested; none while the provider is paused.

        `insist` is a person who asks now: a pause of our own making does not stop them, one that the provider
        asked for does.
        """
        await self.prepare(connection)
        holder = uuid4()
        rows = await store.take_lanes(
            connection,
            provider=self.provider,
            workers=self.workers,
            degraded_workers=self.degraded_workers,
            wanted=wanted,
            holder=holder,
            lease_s=self.lease_s,
            insist=insist,
            now=self._clock.for_database(),
        )
        return [Lane(row.lane, holder, row.degraded, insist) for row in rows]

    async def prepare(self, connection: Connection) -> None:
        """Makes the lanes once; later calls cost nothing."""
        if self._known:
            return
        await store.ensure_pace(connection, provider=self.provider, workers=self.workers)
        # Inside a transaction it may still be undone.
        self._known = connection.info.transaction_status is TransactionStatus.IDLE

    async def keep(self, connection: Connection, lane: Lane) -> bool:
        """Before a further request in the same lane: whether it is still ours and the provider not paused."""
        return await store.keep_lane(
            connection,
            provider=self.provider,
            lane=lane.number,
            holder=lane.holder,
            lease_s=self.lease_s,
            insist=lane.insists,
            now=self._clock.for_database(),
        )

    async def rest(self, connection: Connection, lanes: Sequence[Lane], *, used: bool = True) -> None:
        """Gives lanes back; a used one rests first."""
        for degraded in {lane.degraded for lane in lanes}:
            chosen = [lane for lane in lanes if lane.degraded is degraded]
            await store.rest_lanes(
                connection,
                provider=self.provider,
                lanes=[lane.number for lane in chosen],
                holders=[lane.holder for lane in chosen],
                used=[used] * len(chosen),
                gap_s=self.gap_s(chosen[0]),
                now=self._clock.for_database(),
            )

    async def succeeded(self, connection: Connection, lanes: Sequence[Lane]) -> None:
        """Counts successes of requests that were made at the careful pace."""
        count = sum(lane.degraded for lane in lanes)
        if not count:
            return
        profile = await store.count_successes(
            connection,
            provider=self.provider,
            count=count,
            recover_after=self.pace.recover_after,
            now=self._clock.for_database(),
        )
        if profile == "normal":
            emit(events_watch.PROVIDER_RECOVERED, provider=self.provider)

    async def failed(self, connection: Connection, failure: Failure) -> datetime | None:
        """A failure that is the provider's pauses it; a mistake in one watch says nothing about the others."""
        if failure.fault in (Fault.CONFIGURATION, Fault.OURS):
            return None
        pause = max(failure.retry_after_s or 0.0, 0.0) or self.pace.pause_s
        asked = failure.fault is Fault.LIMITED or bool(failure.retry_after_s)
        return await self._pause(connection, pause, failure.reason, asked=asked)

    async def soft_outage(self, connection: Connection) -> datetime | None:
        """It answered, with nothing where there was something."""
        return await self._pause(connection, self.pace.soft_outage_pause_s, "soft_outage")

    async def _pause(
        self, connection: Connection, seconds: float, reason: str, *, asked: bool = False
    ) -> datetime | None:
        paused = await store.pause_provider(
            connection,
            provider=self.provider,
            pause_s=seconds,
            asked=asked,
            reason=reason,
            now=self._clock.for_database(),
        )
        if paused is None:
            return None
        if paused.fresh:
            until = paused.paused_until.isoformat()
            emit(events_watch.PROVIDER_PAUSED, provider=self.provider, reason=reason, until=until)
        return paused.paused_until
