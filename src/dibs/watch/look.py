"""One look at a target: the requests, inside the pace, with no connection held while they run."""

import asyncio
import time
from datetime import datetime

import msgspec

from dibs.clock import Clock
from dibs.db import Database
from dibs.sources import Answer, Client, Failure, Fault, Observation, Request, Response
from dibs.sources.model import UNCONDITIONAL
from dibs.watch.claim import Claimed
from dibs.work import renew


class Looked(msgspec.Struct, frozen=True):
    """What came back. `seen` is None when the answer was the same as before, or when there was none."""

    claimed: Claimed
    result: Answer | Failure
    seen: Observation | None
    seen_at: datetime
    requests: int
    duration_ms: int

    @property
    def failure(self) -> Failure | None:
        return self.result if isinstance(self.result, Failure) else None


class PacedAsk:
    """Sends the requests of one look, one after the other in its lane."""

    def __init__(self, client: Client, database: Database, clock: Clock, claimed: Claimed) -> None:
        self._client = client
        self._database = database
        self._clock = clock
        self._claimed = claimed
        self.requests = 0

    async def __call__(self, request: Request) -> Response | Failure:
        pace = self._claimed.provider.pace
        if self.requests:
            await asyncio.sleep(pace.gap_s(self._claimed.lane))
            if not await self._keep():
                return Failure(Fault.OURS, "interrupted: the provider was paused or the lease ended")
        self.requests += 1
        return await self._client.ask(request, timeout_s=pace.pace.timeout_s)

    async def _keep(self) -> bool:
        """Makes lane and lease last for one more request."""
        claimed, pace = self._claimed, self._claimed.provider.pace
        async with self._database.transaction() as connection:
            if not await pace.keep(connection, claimed.lane):
                return False
            held = await renew(
                connection,
                claimed.provider.queue,
                claimed.token,
                [claimed.key],
                lease_s=pace.lease_s,
                now=self._clock.for_database(),
            )
            return bool(held)


async def look(client: Client, database: Database, clock: Clock, claimed: Claimed) -> Looked:
    """Fetches, and reads the answer if it is a new one."""
    ask = PacedAsk(client, database, clock, claimed)
    source, target = claimed.provider.source, claimed.target
    started = time.perf_counter()
    result = await source.look(ask, target, claimed.validators)
    seen: Observation | None = None
    if isinstance(result, Answer) and result.not_modified and claimed.validators == UNCONDITIONAL:
        result = Failure(Fault.TRANSIENT, "http_304: nobody asked whether it changed", 304)
    if isinstance(result, Answer) and not unchanged(claimed, result):
        read = source.read(result, target)
        if isinstance(read, Failure):
            result = read
        else:
            seen = read
    duration_ms = round((time.perf_counter() - started) * 1000)
    return Looked(claimed, result, seen, clock.now() + claimed.ahead, ask.requests, duration_ms)


def nothing_seen(claimed: Claimed, failure: Failure, clock: Clock) -> Looked:
    """A look of which nothing is left but why."""
    return Looked(claimed, failure, None, clock.now() + claimed.ahead, 0, 0)


def unchanged(claimed: Claimed, answer: Answer) -> bool:
    return answer.not_modified or (answer.whole and answer.source_hash == claimed.row.source_hash)
