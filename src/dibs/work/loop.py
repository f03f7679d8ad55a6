"""Repeats one pass for ever: at once while there is more, else when it is woken or due."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from dibs.errors import DibsError
from dibs.telemetry import emit, events, metrics
from dibs.work.wake import Wake

FIRST_BACKOFF_S = 0.5
LONGEST_BACKOFF_S = 30.0


class Loop:
    """A named repetition of `run_once`.

    `run_once` answers in how many seconds it wants to be called again: 0 when there is more to do now. The
    loop waits at most `idle_s`, less when `channel` is notified.
    """

    def __init__(
        self,
        name: str,
        run_once: Callable[[], Awaitable[float]],
        *,
        wake: Wake | None = None,
        channel: str = "",
        idle_s: float = 5.0,
    ) -> None:
        self.name = name
        self.run_once = run_once
        self._wake = wake
        self._channel = channel
        self._idle_s = idle_s
        self._stopping = asyncio.Event()
        self._rung = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._wake and self._channel:
            self._rung = self._wake.subscribe(self._channel)
        self._task = asyncio.create_task(self._run(), name=self.name)

    def ask_to_stop(self) -> None:
        """The pass that runs is finished; no other one starts."""
        self._stopping.set()
        self._rung.set()

    async def stop(self, timeout_s: float = 8.0) -> None:
        """Drains; a pass that takes too long is cut, and its leases run out."""
        self.ask_to_stop()
        if not self._task:
            return
        done, _ = await asyncio.wait({self._task}, timeout=timeout_s)
        if not done:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        if self._wake and self._channel:
            self._wake.unsubscribe(self._channel, self._rung)

    async def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            self._rung.clear()
            started = time.perf_counter()
            try:
                wait_s = await self.run_once()
                failures = 0
            except Exception as error:  # noqa: BLE001 -- no error may end a loop
                failures += 1
                wait_s = _backoff(failures)
                self._report(error, failures, wait_s)
                await self._pause(wait_s, wakeable=False)
                continue
            finally:
                metrics.LOOP_SECONDS.labels(self.name).observe(time.perf_counter() - started)
            metrics.LOOP_LAST_PASS.labels(self.name).set_to_current_time()
            if self._stopping.is_set():
                return
            await self._pause(min(wait_s, self._idle_s), wakeable=True)

    def _report(self, error: Exception, failures: int, wait_s: float) -> None:
        expected = isinstance(error, DibsError)
        emit(
            events.LOOP_FAILED,
            exc_info=None if expected else error,
            loop=self.name,
            error=str(error) or type(error).__name__,
            failures=failures,
            retry_in_s=round(wait_s, 1),
        )

    async def _pause(self, seconds: float, *, wakeable: bool) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        event = self._rung if wakeable else self._stopping
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()


def _backoff(failures: int) -> float:
    base = min(LONGEST_BACKOFF_S, FIRST_BACKOFF_S * 2 ** (failures - 1))
    return base * random.uniform(0.8, 1.2)  # noqa: S311 -- jitter, not a secret
