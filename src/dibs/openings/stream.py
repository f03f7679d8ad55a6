"""Follows the events as they commit, once per process, and hands them to any number of readers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import NamedTuple

import msgspec
import psycopg

from dibs.db import Database
from dibs.errors import DibsError
from dibs.openings import store
from dibs.openings.model import OpenEvent
from dibs.work import Wake

KEPT = 2_000
BATCH = 500
# A NOTIFY can be lost with its connection, and an event can wait behind a long transaction.
LOOK_AGAIN_S = 1.0


class Position(NamedTuple):
    """How far a reader has come, in the order in which events become final."""

    xid: int
    open_event_id: int


class Stream:
    """The newest events in memory; who is further behind reads the rest from the database."""

    def __init__(self, database: Database, wake: Wake) -> None:
        self._database = database
        self._wake = wake
        self._recent: deque[tuple[Position, OpenEvent]] = deque(maxlen=KEPT)
        self._begun = Position(0, 0)
        self._start = Position(0, 0)
        self._end = Position(0, 0)
        self._changed = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._begun = self._end = self._start = await self._position(None)
        self._task = asyncio.create_task(self._run(), name="stream")

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def follow(self, after: int | None = None, *, since_start: bool = False) -> AsyncIterator[OpenEvent | None]:
        """Every event after the one with id `after` (None: from now on); None when there was none for a while.

        `since_start`: every one since the stream was started, for who has read the past after that.
        """
        here = self._begun if since_start else self._end
        if after is not None:
            here = await self._position(after)
        while True:
            batch = await self._read(here)
            if not batch:
                yield None
                with suppress(TimeoutError):
                    async with asyncio.timeout(10):
                        await self._wait(here)
                continue
            for position, event in batch:
                here = position
                yield event

    async def _wait(self, here: Position) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._end > here)

    async def _read(self, here: Position) -> list[tuple[Position, OpenEvent]]:
        if here >= self._end:
            return []
        if here >= self._start:
            return [item for item in self._recent if item[0] > here]
        return await self._load(here)

    async def _run(self) -> None:
        rung = self._wake.subscribe("dibs_opening")
        while True:
            rung.clear()
            try:
                await self._advance()
            except (psycopg.Error, DibsError):
                await asyncio.sleep(LOOK_AGAIN_S)
                continue
            # Not wait_for: before Python 3.12 it forgets a cancellation that comes together with the ring.
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_S):
                    await rung.wait()

    async def _advance(self) -> None:
        while True:
            batch = await self._load(self._end)
            if not batch:
                return
            async with self._changed:
                for item in batch:
                    if len(self._recent) == KEPT:
                        self._start = self._recent[0][0]
                    self._recent.append(item)
                self._end = batch[-1][0]
                self._changed.notify_all()

    async def _load(self, here: Position) -> list[tuple[Position, OpenEvent]]:
        async with self._database.connection() as connection:
            rows = await store.follow_events(connection, xid=here.xid, open_event_id=here.open_event_id, limit=BATCH)
        return [
            (Position(row["xid"], row["open_event_id"]), msgspec.convert(row, OpenEvent, strict=False)) for row in rows
        ]

    async def _position(self, open_event_id: int | None) -> Position:
        async with self._database.connection() as connection:
            row = await store.find_position(connection, open_event_id=open_event_id)
        return Position(row["xid"], row["open_event_id"])
