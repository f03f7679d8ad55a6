"""Isolation: how many sends run at once, for each channel and for each host behind it.

A notice that finds its host busy waits a little; if that does not help it goes back to the queue, due when the
host is likely to have room. So a slow host holds up its own notices, and nobody else's. A whole channel that is
busy claims no more than it has room for, so its notices simply wait in the table.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from typing import Self

# How long a notice may wait inside the process; far below the lease, so that waiting never loses it.
PATIENCE_S = 2.0
# After so many failures in a row a host gets one send at a time until one succeeds.
FAILURES_TO_PROBATION = 3
# Whoever is turned away comes back soon: the host may have become faster.
LONGEST_DETOUR_S = 5.0
SMOOTHING = 0.3
MOST_LANES = 10_000


class Busy(Exception):
    """No room now; try again in `after` seconds."""

    def __init__(self, after: float) -> None:
        super().__init__(after)
        self.after = after


class Lane:
    """One host's share of the process."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._inside = 0
        self._failures = 0
        self._took_s = 0.05
        self._free_at = 0.0

    @property
    def idle(self) -> bool:
        return not self._inside and not self._waiting and not self._failures

    @property
    def width(self) -> int:
        """How many may be inside now."""
        return 1 if self._failures >= FAILURES_TO_PROBATION else self._width

    async def enter(self, patience_s: float | None = None) -> None:
        """Waits for a place; raises `Busy` when that takes longer than `patience_s`."""
        if self._inside < self.width and not self._waiting:
            self._inside += 1
            return
        if patience_s is not None and self._took_s * (len(self._waiting) + 1) / self.width > patience_s:
            raise Busy(self._next_turn())
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await asyncio.wait_for(turn, patience_s)
        except (TimeoutError, asyncio.CancelledError) as error:
            self._step_back(turn)
            if isinstance(error, TimeoutError):
                raise Busy(self._next_turn()) from None
            raise

    def give_back(self) -> None:
        """A place that was not used."""
        self._inside -= 1
        self._pass_on()

    def leave(self, took_s: float, worked: bool) -> None:
        self._inside -= 1
        self._took_s += SMOOTHING * (took_s - self._took_s)
        self._failures = 0 if worked else self._failures + 1
        self._pass_on()

    def _step_back(self, turn: asyncio.Future[None]) -> None:
        if turn in self._waiting:
            self._waiting.remove(turn)
        elif turn.done() and not turn.cancelled():
            self._inside -= 1
            self._pass_on()

    def _pass_on(self) -> None:
        while self._waiting and self._inside < self.width:
            turn = self._waiting.popleft()
            if not turn.done():
                self._inside += 1
                turn.set_result(None)

    def _next_turn(self) -> float:
        """Seconds until this host may have room, one place after whoever was turned away before."""
        now = time.monotonic()
        turn_s = max(self._took_s, 0.05) / self.width
        self._free_at = min(max(self._free_at, now) + turn_s, now + LONGEST_DETOUR_S)
        return self._free_at - now


class Pass:
    """Held while sending; says afterwards whether the host answered as it should."""

    __slots__ = ("_lane", "_patience_s", "_started", "_whole", "worked")

    def __init__(self, whole: Lane, lane: Lane | None, patience_s: float) -> None:
        self._whole = whole
        self._lane = lane
        self._patience_s = patience_s
        self._started = 0.0
        self.worked = True

    async def __aenter__(self) -> Self:
        if self._lane:
            await self._lane.enter(self._patience_s)
        try:
            await self._whole.enter()
        except BaseException:
            if self._lane:
                self._lane.give_back()
            raise
        self._started = time.monotonic()
        return self

    async def __aexit__(self, *_: object) -> None:
        took_s = time.monotonic() - self._started
        self._whole.leave(took_s, worked=True)
        if self._lane:
            self._lane.leave(took_s, worked=self.worked)


class Lanes:
    """All lanes of a process."""

    def __init__(self, widths: Mapping[str, int], per_host: int, *, patience_s: float = PATIENCE_S) -> None:
        self._channels = {channel: Lane(width) for channel, width in widths.items()}
        self._hosts: dict[tuple[str, str], Lane] = {}
        self._per_host = per_host
        self._patience_s = patience_s

    def enter(self, channel: str, host: str) -> Pass:
        """Room for one send, for as long as the pass is open; raises `Busy` when the host has none for too long."""
        return Pass(self._channels[channel], self._lane(channel, host) if host else None, self._patience_s)

    def _lane(self, channel: str, host: str) -> Lane:
        if len(self._hosts) > MOST_LANES:
            self._hosts = {key: lane for key, lane in self._hosts.items() if not lane.idle}
        lane = self._hosts.get((channel, host))
        if lane is None:
            lane = self._hosts[channel, host] = Lane(self._per_host)
        return lane
