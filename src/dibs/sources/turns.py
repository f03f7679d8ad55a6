"""Asking a service in turns that all processes share.

A provider with lanes (`pace`) is asked as fast as its lanes rest. A service with a rate over minutes, its own
spacing for searches, rate-limit headers and a daily quota is asked in turns: each request first takes the
next free moment from the database, waits for it with no connection held, and goes out.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping

from dibs.clock import Clock
from dibs.db import Database
from dibs.sources import turn_store
from dibs.sources.http import Client, Request, Response
from dibs.sources.model import Failure, Fault
from dibs.sources.turn_rule import Manners, Refusal, Turn, take_turn

Sleep = Callable[[float], Awaitable[None]]

# A service that limits us without saying for how long, or is down, is left alone for a while.
LIMITED_PAUSE_S = 30.0
BROKEN_PAUSE_S = 2.0
LONGEST_PAUSE_S = 3600.0


class Turns:
    """One service, asked politely by however many processes there are."""

    def __init__(
        self,
        service: str,
        manners: Manners,
        db: Database,
        clock: Clock,
        *,
        timeout_s: float,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.service = service
        self._manners = manners
        self._db = db
        self._clock = clock
        self._timeout_s = timeout_s
        self._sleep = sleep

    async def ask(self, client: Client, request: Request, *, search: bool = False) -> Response | Failure:
        """Waits for its turn and asks; a turn too far away is a failure, and nothing was asked."""
        turn = await self._take(search=search)
        if isinstance(turn, Refusal):
            return Failure(Fault.LIMITED, turn.reason, retry_after_s=turn.retry_after_s)
        if turn.wait_s > 0:
            await self._sleep(turn.wait_s)
        answer = await client.ask(request, timeout_s=self._timeout_s)
        await self._heed(answer)
        return answer

    async def _take(self, *, search: bool) -> Turn | Refusal:
        async with self._db.transaction() as connection:
            await turn_store.ensure_turn(connection, self.service)
            standing = await turn_store.lock_turn(connection, self.service, self._clock.for_database())
            turn = take_turn(standing, self._manners, search=search)
            if isinstance(turn, Turn):
                await turn_store.save_turn(connection, self.service, turn)
            return turn

    async def _heed(self, answer: Response | Failure) -> None:
        pause = pause_after(answer)
        if pause:
            seconds, reason = pause
            async with self._db.transaction() as connection:
                await turn_store.pause_turns(
                    connection,
                    self.service,
                    seconds=seconds,
                    reason=reason,
                    now=self._clock.for_database(),
                )


def pause_after(answer: Response | Failure) -> tuple[float, str] | None:
    """How long everybody leaves the service alone after this answer, and why. Pure."""
    if isinstance(answer, Failure):
        if answer.fault is Fault.LIMITED:
            told = answer.retry_after_s or _number(answer.headers, "X-Ratelimit-Reset")
            return _bounded(told or LIMITED_PAUSE_S), answer.reason
        if answer.fault is Fault.TRANSIENT:
            return _bounded(answer.retry_after_s or BROKEN_PAUSE_S), answer.reason
    remaining = _number(answer.headers, "X-Ratelimit-Remaining")
    if remaining is not None and remaining < 1:
        reset = _number(answer.headers, "X-Ratelimit-Reset")
        return _bounded(reset or LIMITED_PAUSE_S), "ratelimit_used_up"
    return None


def _number(headers: Mapping[str, str], name: str) -> float | None:
    try:
        value = float(headers.get(name, ""))
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _bounded(seconds: float) -> float:
    return min(seconds, LONGEST_PAUSE_S)
