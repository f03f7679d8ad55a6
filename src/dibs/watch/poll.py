"""Polling: claim what is due, look without holding a connection, settle what was seen.

Heartbeats that arrive while another batch of them is being written are written together with the next.
"""

import asyncio
from collections.abc import Mapping

from msgspec.structs import replace
from psycopg.errors import DeadlockDetected

from dibs.clock import Clock
from dibs.db import Database
from dibs.errors import NotFound, Unavailable
from dibs.sources import Answer, Client, Failure, Fault
from dibs.telemetry import emit, events_watch
from dibs.watch import store
from dibs.watch.claim import Claimed, claim_due, claim_named
from dibs.watch.look import Looked, look, nothing_seen
from dibs.watch.provider import WatchedProvider
from dibs.watch.record import keep
from dibs.watch.result import PollResult
from dibs.watch.settle import Settler
from dibs.work import Loop, Wake

CHANNEL = "dibs_watch"
MOST_AT_ONCE = 64
IDLE_S = 1.0
TRY_AGAIN_S = 0.05
NAMED_TRIES_S = 20.0
SHARES = 3
NEXT_SHARE_S = 0.005


class Heartbeats:
    """Writes heartbeats of one provider in batches: whatever has come in since the last write."""

    def __init__(self, settler: Settler) -> None:
        self._settler = settler
        self._waiting: list[tuple[Looked, asyncio.Future[PollResult]]] = []
        self._task: asyncio.Task[None] | None = None

    async def settle(self, looked: Looked) -> PollResult:
        future: asyncio.Future[PollResult] = asyncio.get_running_loop().create_future()
        self._waiting.append((looked, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())
        return await future

    async def _settle(self, looks: list[Looked]) -> dict[str, PollResult]:
        try:
            return await self._settler.beats(looks)
        except DeadlockDetected:
            # Somebody who changes several watches at once met them in another order; now they are through.
            return await self._settler.beats(looks)

    async def _write(self) -> None:
        while self._waiting:
            await asyncio.sleep(0)  # whoever is settled in the same turn comes along
            batch, self._waiting = self._waiting, []
            try:
                results = await self._settle([looked for looked, _ in batch])
            except Exception as error:  # noqa: BLE001 -- whoever waits for its heartbeat gets the error
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for looked, future in batch:
                # Who no longer waits must not keep the others from their answer.
                if not future.done():
                    future.set_result(results[looked.claimed.key])


class Poller:
    """Everything that polls in this process."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        client: Client,
        providers: Mapping[str, WatchedProvider],
        worker: str,
        wake: Wake,
    ) -> None:
        self._database = database
        self._clock = clock
        self._client = client
        self._providers = providers
        self._worker = worker
        self._wake = wake
        self._settler = Settler(database, clock)
        self._beats = {name: Heartbeats(self._settler) for name in providers}
        self._behind: list[str] = []
        self._running: set[asyncio.Task[PollResult]] = set()

    async def run_once(self) -> float:
        """Starts whatever is due and has a lane; answers when there may be more."""
        busy = [name for name in self._behind if await self._start_share(name)]
        others = [name for name in self._providers if name not in busy]
        _, wait_s = await self._start_due(others)
        self._behind += busy
        return min(wait_s, NEXT_SHARE_S) if busy else wait_s

    async def poll_due(self) -> list[PollResult]:
        """One round: everything that is due now and has a lane, settled when this returns."""
        started, _ = await self._start_due(list(self._providers))
        return list(await asyncio.gather(*started))

    async def _start_share(self, provider: str) -> bool:
        """Where more is due than there are lanes: claims some of what came free, without looking ahead first.

        In shares, so that one is being asked while another is written and a third claimed; all lanes at once
        would do each of these together and wait for the others.
        """
        share = -(-self._providers[provider].pace.workers // SHARES)
        claimed = await self._claim(provider, min(share, MOST_AT_ONCE))
        for one in claimed:
            self._start(one)
        return bool(claimed)

    async def _start_due(self, providers: list[str]) -> tuple[list[asyncio.Task[PollResult]], float]:
        started: list[asyncio.Task[PollResult]] = []
        wait_s, ahead = IDLE_S, await self._look_ahead(providers)
        for one in ahead:
            claimable = min(one.due, one.lanes)
            claimed = await self._claim(one.provider, claimable) if claimable else []
            started += [self._start(item) for item in claimed]
            wait_s = min(wait_s, _more_in_s(one, len(claimed)))
        self._behind = [one.provider for one in ahead if one.due > one.lanes]
        return started, wait_s

    async def _look_ahead(self, providers: list[str]) -> list[store.Ahead]:
        if not providers:
            return []
        paces = [self._providers[name].pace for name in providers]
        async with self._database.connection() as connection:
            for pace in paces:
                await pace.prepare(connection)
            return await store.look_ahead(
                connection,
                paces=[pace.lanes for pace in paces],
                most=MOST_AT_ONCE,
                now=self._clock.for_database(),
            )

    async def _claim(self, provider: str, due: int) -> list[Claimed]:
        return await claim_due(self._database, self._clock, self._providers[provider], most=due, worker=self._worker)

    def _start(self, claimed: Claimed) -> asyncio.Task[PollResult]:
        task = asyncio.create_task(self.poll(claimed), name=f"poll {claimed.key}")
        self._running.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[PollResult]) -> None:
        self._running.discard(task)
        if not task.cancelled() and task.exception() is not None:
            # The lease runs out and the watch comes back; the error itself is said here.
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a poll ended in an error", "exception": task.exception(), "task": task}
            )
        self._wake.ring(CHANNEL)

    async def poll(self, claimed: Claimed, *, quietly: bool = False) -> PollResult:
        """One claimed watch from look to settled; whatever goes wrong, the watch says so."""
        try:
            return await self._poll(claimed, quietly=quietly)
        except Exception as error:  # noqa: BLE001 -- else the watch would show its last good look until the lease ends
            emit(events_watch.WATCH_BROKEN, watch=claimed.key, exc_info=error)
            failure = Failure(Fault.OURS, f"error: {type(error).__name__}")
            return await self._settler.failure(nothing_seen(claimed, failure, self._clock), failure)

    async def _poll(self, claimed: Claimed, *, quietly: bool) -> PollResult:
        looked = await look(self._client, self._database, self._clock, claimed)
        if looked.failure:
            return await self._settler.failure(looked, looked.failure)
        if isinstance(looked.result, Answer):
            await keep(looked, looked.result)
            if looked.seen is not None:
                return await self._settler.observation(looked, looked.result, looked.seen, quietly=quietly)
        return await self._beats[claimed.row.provider].settle(looked)

    async def poll_now(self, watch_key: str, *, quietly: bool = False) -> PollResult:
        """This watch, as soon as the pace and whoever polls it now allow."""
        provider = await self._provider_of(watch_key)
        deadline = asyncio.get_running_loop().time() + NAMED_TRIES_S
        while asyncio.get_running_loop().time() < deadline:
            claimed = await claim_named(self._database, self._clock, provider, watch_key, self._worker)
            if claimed:
                result = await self.poll(_unread(claimed) if quietly else claimed, quietly=quietly)
                if result.outcome != "lost":
                    return result
            await asyncio.sleep(TRY_AGAIN_S)
        raise Unavailable(
            "The provider is paused or busy, so the watch was not polled; try again later.", code="provider_busy"
        )

    async def _provider_of(self, watch_key: str) -> WatchedProvider:
        async with self._database.connection() as connection:
            row = await store.get_watch(connection, watch_key=watch_key)
        if row is None:
            raise NotFound(f"There is no watch {watch_key}.")
        provider = self._providers.get(row.provider)
        if provider is None:
            raise Unavailable(f"The provider {row.provider} is not configured here.", code="provider_not_configured")
        return provider

    async def drain(self) -> None:
        """Waits for the polls under way."""
        while self._running:
            await asyncio.wait(set(self._running))

    def abandon(self) -> None:
        """Cuts the polls under way; their leases run out."""
        for task in self._running:
            task.cancel()


def _more_in_s(ahead: store.Ahead, claimed: int) -> float:
    """When there may be more to claim, as it was seen before `claimed` were."""
    if claimed == MOST_AT_ONCE:
        return 0.0
    if claimed < min(ahead.due, ahead.lanes):
        return TRY_AGAIN_S
    soon = ahead.next_due_in_s if claimed == ahead.due else ahead.next_lane_in_s
    return IDLE_S if soon is None else max(soon, 0.001)


def _unread(claimed: Claimed) -> Claimed:
    """The same claim, as if its answer had never been read: a baseline reads it in any case."""
    return replace(claimed, row=replace(claimed.row, source_hash=None))


class PollLoop(Loop):
    """The loop around the poller; stopping waits for the polls under way too."""

    def __init__(self, poller: Poller, wake: Wake) -> None:
        super().__init__("watch.poll", poller.run_once, wake=wake, channel=CHANNEL, idle_s=IDLE_S)
        self._poller = poller

    async def stop(self, timeout_s: float = 6.0) -> None:
        deadline = asyncio.get_running_loop().time() + timeout_s
        await super().stop(timeout_s)
        try:
            async with asyncio.timeout_at(deadline):
                await self._poller.drain()
        except TimeoutError:
            self._poller.abandon()
