"""Runs the cadences on their schedules: each due tick once among all processes."""

from __future__ import annotations

from collections.abc import Mapping

from dibs.clock import Clock
from dibs.db import Database
from dibs.signals import signal_store as store
from dibs.signals.rules import next_due
from dibs.signals.tick import tick
from dibs.work import Claim, Queue, claim, renew, settle

QUEUE = Queue(table="cadence", key="cadence_id")
# A tick renews it between batches, so it only has to outlast one.
LEASE_S = 60.0
LOOK_AGAIN_S = 5.0


class Schedule:
    """The configured cadences; any number of these may run side by side."""

    def __init__(self, database: Database, clock: Clock, worker: str, cadences: Mapping[str, float]) -> None:
        self._database = database
        self._clock = clock
        self._worker = worker
        self._cadences = cadences
        self._known = False

    async def run_once(self) -> float:
        """Runs one tick that is due; 0 when there may be another, else how long until the next."""
        await self._make_known()
        async with self._database.connection() as connection:
            claimed = await claim(
                connection,
                QUEUE,
                limit=1,
                lease_s=LEASE_S,
                worker=self._worker,
                now=self._clock.for_database(),
            )
        if not claimed.keys:
            return await self._until_next()
        await self._run(claimed, claimed.keys[0])
        return 0.0

    async def _make_known(self) -> None:
        if self._known:
            return
        async with self._database.transaction() as connection:
            await store.put_cadences(connection, intervals=self._cadences, now=self._clock.now())
            await store.remove_cadences(connection, cadence_ids=list(self._cadences))
        self._known = True

    async def _run(self, claimed: Claim, cadence_id: str) -> None:
        async def keep() -> bool:
            async with self._database.connection() as connection:
                held = await renew(
                    connection,
                    QUEUE,
                    claimed.token,
                    [cadence_id],
                    lease_s=LEASE_S,
                    now=self._clock.for_database(),
                )
            return cadence_id in held

        await tick(self._database, self._clock, cadence_id, self._cadences, keep=keep)
        async with self._database.transaction() as connection:
            known = await store.get_schedule(connection, cadence_id=cadence_id)
            if known and known.due_at:
                due_at = next_due(known.due_at, known.interval_s, self._clock.now())
                await settle(connection, QUEUE, claimed.token, {cadence_id: due_at})

    async def _until_next(self) -> float:
        async with self._database.connection() as connection:
            due_at = await store.next_due_at(connection)
        if due_at is None:
            return LOOK_AGAIN_S
        # Never 0: a schedule that is due but held by somebody would keep us spinning.
        return max(0.05, (due_at - self._clock.now()).total_seconds())
