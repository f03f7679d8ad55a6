"""Goes through a line for which room may have opened, and offers it to the first who fit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from dibs.clock import Clock
from dibs.db import Database, Keyspace, advisory_lock
from dibs.offers import offer_store, place_store
from dibs.offers.model import Check, Settings, Waiting
from dibs.offers.room import Closed, Keepers, Room
from dibs.offers.rules import comes_first, look_again_at, passed_over, turns
from dibs.telemetry import emit
from dibs.telemetry import events_offers as events
from dibs.work import Queue, claim

CHECKS = Queue(table="line_check", key="check_key")
BATCH = 8
IDLE_S = 5.0

# A size and a start that somebody was refused in this walk.
Missed = set[tuple[int, datetime]]


class _ChangedMeanwhile(Exception):
    """Room opened after somebody in front was refused; ends the walk."""


class Usher:
    """Serves the lines; any number of processes may run one."""

    def __init__(self, database: Database, clock: Clock, keepers: Keepers, settings: Settings, *, worker: str) -> None:
        self._database = database
        self._clock = clock
        self._keepers = keepers
        self._settings = settings
        self._worker = worker

    async def run_once(self) -> float:
        """Looks at the lines that are due; 0 when there may be more."""
        async with self._database.transaction() as connection:
            claimed = await claim(
                connection,
                CHECKS,
                limit=BATCH,
                lease_s=self._settings.lease_s,
                worker=self._worker,
                now=self._clock.for_database(),
            )
            checks = await offer_store.load_checks(connection, check_keys=claimed.keys)
        for check in checks:
            await self._settle(check, claimed.token, await self.serve(check))
        return 0.0 if len(claimed.keys) == BATCH else IDLE_S

    async def _settle(self, check: Check, token: UUID, again_at: datetime | None) -> None:
        async with self._database.transaction() as connection:
            await offer_store.settle_check(
                connection, line_key=check.line_key, token=token, changes=check.changes, again_at=again_at
            )

    async def serve(self, check: Check) -> datetime | None:
        """Makes every offer that can be made now; when to look again although nothing changes."""
        # The lock keeps the order when a lease ran out and two ushers look at one line.
        async with self._database.transaction() as guard:
            await advisory_lock(guard, Keyspace.LINE, check.line_key)
            async with self._database.connection() as connection:
                line = await place_store.list_waiting(connection, line_key=check.line_key)
            now = self._clock.now()
            room = await self._keepers.of_check(check).open(check, line, now)
            if isinstance(room, Closed):
                await self._close(check, room.reason)
                return None
            served = await self._walk(room, line, now)
            await self._note(line, passed_over(line, served, room.ground))
        return look_again_at([place for place in line if place.place_id not in served], self._settings, now)

    async def _walk(self, room: Room, line: Sequence[Waiting], now: datetime) -> dict[int, datetime]:
        served: dict[int, datetime] = {}
        missed: Missed = set()
        for turn in turns(line, room.ground, self._settings, now):
            try:
                start = await self._serve_one(room, turn.place, turn.starts, missed)
            except _ChangedMeanwhile:
                # The change made the line due again; whoever is first gets the first look at it.
                break
            if start:
                served[turn.place.place_id] = start
        return served

    async def _serve_one(
        self, room: Room, place: Waiting, starts: Sequence[datetime], missed: Missed
    ) -> datetime | None:
        """The start that was offered.

        What somebody in front of the same size could not have is not tried again: if it opened since, it is theirs, and
        the change brings the usher back.
        """
        open_starts = [start for start in starts if (place.size, start) not in missed]
        fitting = await room.fitting(place, open_starts) if open_starts else []
        missed.update((place.size, start) for start in open_starts if start not in fitting)
        for start in fitting:
            match await room.offer(place, start, overtakes=bool(missed)):
                case "made":
                    return start
                case "not_waiting":
                    return None
                case "changed":
                    raise _ChangedMeanwhile
                case "no_room":
                    missed.add((place.size, start))
        return None

    async def _close(self, check: Check, reason: str) -> None:
        async with self._database.transaction() as connection:
            left = await place_store.close_line(
                connection, line_key=check.line_key, reason=reason, now=self._clock.now()
            )
        if left:
            emit(events.LINE_CLOSED, line=check.line_key, reason=reason, places=left)

    async def _note(self, line: Sequence[Waiting], passed: list[int]) -> None:
        """Counts who was passed over, and lets go of those who came first for long enough."""
        now = self._clock.now()
        over = [
            place.place_id
            for place in line
            if place.first_since is not None and not comes_first(place, self._settings, now)
        ]
        if not passed and not over:
            return
        async with self._database.transaction() as connection:
            if over:
                await place_store.forget_first(connection, place_ids=over)
            if passed:
                await place_store.note_passed(
                    connection, place_ids=passed, max_passed=self._settings.max_passed, now=now
                )
