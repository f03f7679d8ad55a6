"""LISTEN/NOTIFY as a doorbell: it shortens waits and nothing depends on it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import suppress

import psycopg
from psycopg import AsyncConnection
from psycopg.sql import SQL, Identifier

from dibs.telemetry import emit, events

RECONNECT_S = (0.1, 0.5, 2.0, 5.0)


class Wake:
    """One listening connection for the whole process; whoever waits on a channel is woken by its NOTIFY."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self._connection: AsyncConnection | None = None
        self._changed = asyncio.Event()
        self.listening = asyncio.Event()

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="wake")

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def subscribe(self, channel: str) -> asyncio.Event:
        """An event that is set at every NOTIFY on `channel`, and after a reconnect; the waiter clears it."""
        event = asyncio.Event()
        fresh = channel not in self._waiting
        self._waiting[channel].add(event)
        if fresh:
            self._changed.set()
        return event

    def unsubscribe(self, channel: str, event: asyncio.Event) -> None:
        self._waiting[channel].discard(event)

    def ring(self, channel: str) -> None:
        """Wakes the waiters of this process."""
        for event in self._waiting.get(channel, ()):
            event.set()

    async def _run(self) -> None:
        failures = 0
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError) as error:
                self.listening.clear()
                emit(events.WAKE_LOST, error=str(error).strip())
                await asyncio.sleep(RECONNECT_S[min(failures, len(RECONNECT_S) - 1)])
                failures += 1

    async def _listen(self) -> None:
        async with await AsyncConnection.connect(self._dsn, autocommit=True) as connection:
            heard: set[str] = set()
            while True:
                self._changed.clear()
                for channel in set(self._waiting) - heard:
                    await connection.execute(SQL("LISTEN {}").format(Identifier(channel)))
                    heard.add(channel)
                    # Whatever was notified before we listened is looked for now.
                    self.ring(channel)
                self.listening.set()
                await self._pump(connection)

    async def _pump(self, connection: AsyncConnection) -> None:
        """Passes notifications on until somebody waits on a channel that is not listened to yet."""
        while not self._changed.is_set():
            changed = asyncio.create_task(self._changed.wait())
            notified = asyncio.create_task(self._next(connection))
            try:
                await asyncio.wait({changed, notified}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                changed.cancel()
                if not notified.done():
                    notified.cancel()
                    # Waited for, not awaited: its end must not hide that we are to end.
                    await asyncio.wait({notified})
            if notified.done() and not notified.cancelled():
                notified.result()

    async def _next(self, connection: AsyncConnection) -> None:
        async for notification in connection.notifies(timeout=30, stop_after=1):
            self.ring(notification.channel)
