"""Sends what is due: claim a batch, send it with no connection held, settle it.

The committed claim is the record that an attempt has begun, and stands until its outcome is written: what a
worker held that died is seen to be maybe sent. The next batch is claimed while the one before is being sent, and
a batch is settled in pieces: what has an outcome is written within a moment, whatever the rest still waits for.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import timedelta
from random import random
from uuid import UUID

import psycopg

from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.errors import Unavailable
from dibs.notify import delivery_store as store
from dibs.notify.channels import Channel
from dibs.notify.compose import Composer
from dibs.notify.decide import DeliveryPolicy, decide_delivery, judge
from dibs.notify.lanes import Busy, Lanes
from dibs.notify.model import (
    ChannelName,
    Drop,
    DueNotice,
    Opening,
    Outcome,
    Retry,
    Send,
    Settlement,
    Wait,
)
from dibs.notify.report import report
from dibs.telemetry import emit
from dibs.telemetry import events_notify as events
from dibs.work import Wake, claim, renew

IDLE_S = 5.0
# How long the notices of a batch that are done wait for the others before they are written.
LINGER_S = 0.25
# A channel holds so many times what it can send at once: enough that it never waits for a claim.
IN_HAND = 4
WRITE_AGAIN_S = (0.2, 1.0, 3.0)
CHANNEL = "dibs_notice"


@dataclass(frozen=True, slots=True)
class DeliverySettings:
    """How delivery works; what it decides is the policy's."""

    worker: str
    batch: int
    lock_ttl_s: float
    patience_s: float


@dataclass(frozen=True, slots=True)
class Batch:
    """What one claim is to send."""

    channel: ChannelName
    token: UUID
    claimed: int
    sends: list[tuple[DueNotice, Opening | None]]


class Deliver:
    """Claims, sends and settles."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        wake: Wake,
        *,
        channels: dict[ChannelName, Channel],
        lanes: Lanes,
        composer: Composer,
        policy: DeliveryPolicy,
        settings: DeliverySettings,
    ) -> None:
        self._database = database
        self._clock = clock
        self._wake = wake
        self._channels = channels
        self._lanes = lanes
        self._composer = composer
        self._policy = policy
        self._settings = settings
        self._carrying: set[asyncio.Task[None]] = set()
        self._in_hand: dict[ChannelName, int] = dict.fromkeys(channels, 0)

    async def run_once(self) -> float:
        """Claims a batch for each channel that has room and starts to send it.

        0 while there is more that could be claimed, else seconds until something is due.
        """
        more = False
        for channel in self._channels:
            if self._has_room(channel):
                batch = await self._take(channel)
                self._start(batch)
                more = more or batch.claimed == self._settings.batch
        waiting = [channel for channel in self._channels if self._has_room(channel)]
        if more and waiting:
            return 0.0
        async with self._database.connection() as connection:
            wait_s = await store.next_due(connection, channels=waiting, now=self._clock.for_database())
        return IDLE_S if wait_s is None else min(wait_s, IDLE_S)

    async def drain(self) -> int:
        """Sends everything that is due now and waits for it; how many notices were claimed."""
        total = 0
        while True:
            claimed = 0
            for channel in self._channels:
                batch = await self._take(channel)
                claimed += batch.claimed
                self._start(batch)
                await self.finish()
            total += claimed
            if not claimed:
                return total

    @property
    def in_hand(self) -> int:
        """How many notices this process holds."""
        return sum(self._in_hand.values())

    def _has_room(self, channel: ChannelName) -> bool:
        batch = self._settings.batch
        most = max(IN_HAND * self._channels[channel].width, 2 * batch)
        return self._in_hand[channel] + batch <= most

    def _start(self, batch: Batch) -> None:
        if batch.sends:
            self._in_hand[batch.channel] += len(batch.sends)
            task = asyncio.create_task(self._carry(batch), name="notify.carry")
            self._carrying.add(task)
            task.add_done_callback(self._carrying.discard)

    def _let_go(self, channel: ChannelName, count: int) -> None:
        had_room = self._has_room(channel)
        self._in_hand[channel] -= count
        if self._has_room(channel) and not had_room:
            self._wake.ring(CHANNEL)

    async def finish(self, timeout_s: float | None = None) -> None:
        """Waits for the sends that run; what is left then is claimed again when its lease ends."""
        if self._carrying:
            _, late = await asyncio.wait(self._carrying, timeout=timeout_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _take(self, channel: ChannelName) -> Batch:
        async with self._database.transaction() as connection:
            taken = await claim(
                connection,
                store.NOTICES[channel],
                limit=self._settings.batch,
                lease_s=self._settings.lock_ttl_s,
                worker=self._settings.worker,
                now=self._clock.for_database(),
            )
            if not taken.keys:
                return Batch(channel, taken.token, 0, [])
            notices = await store.load_due(connection, notification_ids=taken.keys)
            wanted = {notice.open_event_id for notice in notices if notice.open_event_id is not None}
            openings = await store.load_openings(connection, open_event_ids=sorted(wanted)) if wanted else {}
            sends, settled = self._decide(notices, openings, await self._without_place(connection, notices))
            if settled:
                await self._write(connection, taken.token, settled)
        return Batch(channel, taken.token, len(taken.keys), sends)

    async def _without_place(self, connection: Connection, notices: list[DueNotice]) -> set[int]:
        """Notices that were made before their subscription was capped, and find no place under the cap."""
        wanting = {notice.notification_id for notice in notices if notice.needs_place}
        if not wanting:
            return wanting
        return wanting - await store.reserve_places(connection, notification_ids=sorted(wanting))

    def _decide(
        self, notices: list[DueNotice], openings: dict[int, Opening], without_place: set[int]
    ) -> tuple[list[tuple[DueNotice, Opening | None]], dict[int, Settlement]]:
        now = self._clock.now()
        sends: list[tuple[DueNotice, Opening | None]] = []
        settled: dict[int, Settlement] = {}
        for notice in notices:
            opening = openings.get(notice.open_event_id) if notice.open_event_id else None
            available = opening is not None and opening.available
            has_place = notice.notification_id not in without_place
            match decide_delivery(notice, available, now, self._policy, has_place=has_place):
                case Send():
                    sends.append((notice, opening))
                    continue
                case Wait(until, reason, expires_at):
                    settlement = Settlement("pending", reason, due_at=until, expires_at=expires_at)
                case Drop(status, reason):
                    settlement = Settlement(status, reason)
            settled[notice.notification_id] = settlement
            report(notice, opening, settlement, now)
        return sends, settled

    async def _carry(self, batch: Batch) -> None:
        """Sends a batch and settles it as outcomes come in."""
        tasks = {asyncio.create_task(self._send(*send)): send for send in batch.sends}
        running = set(tasks)
        unsettled = len(running)
        renewed = time.monotonic()
        try:
            while running:
                done, running = await asyncio.wait(running, timeout=LINGER_S)
                if done:
                    await self._settle(batch.token, [(*tasks[task], task.result()) for task in done])
                    unsettled -= len(done)
                    self._let_go(batch.channel, len(done))
                if time.monotonic() - renewed > self._settings.lock_ttl_s / 3:
                    renewed = time.monotonic()
                    await self._renew(batch, [tasks[task][0].notification_id for task in running])
        except BaseException as error:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            self._let_go(batch.channel, unsettled)
            if not isinstance(error, Exception):
                raise
            # Nothing is lost: the leases end and the notices are sent again under the same keys.
            emit(events.SETTLE_FAILED, exc_info=error, error=str(error), notices=len(batch.sends))

    async def _send(self, notice: DueNotice, opening: Opening | None) -> Settlement:
        channel = self._channels[notice.channel]
        try:
            async with self._lanes.enter(notice.channel, channel.host(notice.address)) as ticket:
                outcome = await self._through(channel, notice, opening)
                ticket.worked = not isinstance(outcome, Retry)
        except Busy as busy:
            later = self._clock.now() + timedelta(seconds=busy.after)
            return Settlement("pending", "endpoint_busy", due_at=later)
        jitter = random()  # noqa: S311 -- spreads retries, guards nothing
        return judge(outcome, notice.fanout_attempts, self._clock.now(), self._policy, jitter)

    async def _through(self, channel: Channel, notice: DueNotice, opening: Opening | None) -> Outcome:
        try:
            return await channel.send(self._composer.message(notice, opening))
        except Exception as error:  # noqa: BLE001 -- a fault in one notice must not take the others along
            emit(
                events.CHANNEL_BROKEN,
                exc_info=error,
                channel=channel.name,
                notification_id=notice.notification_id,
            )
            return Retry("channel_error", f"{type(error).__name__}: {error}"[:200], ours=True)

    async def _settle(self, token: UUID, outcomes: list[tuple[DueNotice, Opening | None, Settlement]]) -> None:
        now = self._clock.now()
        by_id = {notice.notification_id: settlement for notice, _, settlement in outcomes}
        held = await self._write_surely(token, by_id)
        for notice, opening, settlement in outcomes:
            if notice.notification_id in held:
                report(notice, opening, settlement, now)
            else:
                emit(
                    events.NOTICE_LOST_LEASE,
                    notification_id=notice.notification_id,
                    outcome=settlement.status,
                )
        if any(settlement.status == "pending" for settlement in by_id.values()):
            # The loop may sleep past the retry otherwise.
            self._wake.ring(CHANNEL)

    async def _write_surely(self, token: UUID, outcomes: dict[int, Settlement]) -> set[int]:
        """Tries again while the database is away: what is not written is sent a second time."""
        for pause_s in WRITE_AGAIN_S:
            try:
                return await self._write_once(token, outcomes)
            except (psycopg.OperationalError, Unavailable) as error:
                emit(events.SETTLE_DELAYED, error=str(error).strip(), notices=len(outcomes))
                await asyncio.sleep(pause_s)
        return await self._write_once(token, outcomes)

    async def _write_once(self, token: UUID, outcomes: dict[int, Settlement]) -> set[int]:
        # One statement is a transaction by itself.
        async with self._database.connection() as connection:
            return await self._write(connection, token, outcomes)

    async def _write(self, connection: Connection, token: UUID, outcomes: dict[int, Settlement]) -> set[int]:
        written = await store.settle_notices(
            connection,
            token=token,
            outcomes=outcomes,
            verify_email=self._policy.verify_email,
            patience_s=self._settings.patience_s,
            now=self._clock.for_database(),
        )
        for row in written:
            if row.suppressed:
                reason = outcomes[row.notification_id].reason
                emit(events.SUPPRESSED, notification_id=row.notification_id, reason=reason)
        return {row.notification_id for row in written}

    async def _renew(self, batch: Batch, notification_ids: list[int]) -> None:
        async with self._database.transaction() as connection:
            await renew(
                connection,
                store.NOTICES[batch.channel],
                batch.token,
                notification_ids,
                lease_s=self._settings.lock_ttl_s,
                now=self._clock.for_database(),
            )
