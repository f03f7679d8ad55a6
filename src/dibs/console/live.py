"""Updates without reload: a page looks again when the database rings, and every few seconds anyway."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from nicegui import Client, background_tasks, ui
from nicegui.client import ClientConnectionTimeout

from dibs.console.components.element import el
from dibs.errors import DibsError
from dibs.telemetry import emit, events_console

if TYPE_CHECKING:
    from dibs.work import Wake

# A burst of events costs one look a second: people cannot read faster. A look that is slow, because the database or
# this process is busy, is made less often still.
GAP_S = 1.0
SLOWDOWN = 5.0
LONGEST_GAP_S = 10.0
CHECK_SESSION_S = 30.0

Refresh = Callable[[], Awaitable[None]]


class Live:
    """Runs `refresh` for one browser tab until that tab is gone."""

    def __init__(
        self,
        client: Client,
        refresh: Refresh,
        *,
        wake: Wake,
        channels: Sequence[str],
        every_s: float,
        still_signed_in: Callable[[], Awaitable[bool]],
    ) -> None:
        self._client = client
        self._refresh = refresh
        self._wake = wake
        self._channels = channels
        self._every_s = every_s
        self._still_signed_in = still_signed_in
        self._asked = asyncio.Event()

    def start(self) -> None:
        background_tasks.create(self._run(), name=f"live {self._client.page.path}")

    def soon(self) -> None:
        """Looks again now."""
        self._asked.set()

    async def _run(self) -> None:
        with suppress(ClientConnectionTimeout):
            await self._client.connected()
            bells = [(channel, self._wake.subscribe(channel)) for channel in self._channels]
            try:
                await self._repeat([self._asked, *(bell for _, bell in bells)])
            finally:
                for channel, bell in bells:
                    self._wake.unsubscribe(channel, bell)

    async def _repeat(self, bells: list[asyncio.Event]) -> None:
        checked = time.monotonic()
        while not self._client.is_deleted:
            for bell in bells:
                bell.clear()
            started = time.monotonic()
            # A tab that lost its connection is not drawn for; it is brought up to date when it is back.
            if self._client.has_socket_connection:
                await self._look()
            if time.monotonic() - checked > CHECK_SESSION_S:
                checked = time.monotonic()
                if not await self._still_signed_in():
                    self._client.run_javascript("window.location.reload()")
                    return
            took_s = time.monotonic() - started
            await asyncio.sleep(min(LONGEST_GAP_S, max(GAP_S, SLOWDOWN * took_s)))
            await _first(bells, timeout_s=self._every_s)

    async def _look(self) -> None:
        try:
            with self._client:
                await self._refresh()
        except DibsError as error:
            emit(events_console.REFRESH_FAILED, page=self._client.page.path, error=error.detail)
        except Exception as error:  # noqa: BLE001 - the page stays; it looks again in a few seconds
            if not self._client.is_deleted:
                emit(events_console.REFRESH_FAILED, page=self._client.page.path, error=repr(error))


async def _first(bells: list[asyncio.Event], *, timeout_s: float) -> None:
    """Waits until one of the bells rings, or the time is over."""
    waits = [asyncio.create_task(bell.wait()) for bell in bells]
    try:
        await asyncio.wait(waits, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


def pulse() -> ui.element:
    """The sign in the head of a live page; the browser turns it when the connection is lost."""
    with el("span", classes="dibs-pulse") as sign:
        el("span", "Live", classes="when-live")
        el("span", "Not live", classes="when-lost")
    return sign
