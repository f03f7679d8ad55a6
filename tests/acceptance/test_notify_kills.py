"""Workers are killed with -9 at random while 5,000 notices go out to a web server and a mail server."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from dibs.clock import SystemClock
from dibs.db import Database
from dibs.parts import Parts
from notify_audit import Accepted, faults, keep_ledger, read_ledger
from notify_harness import (
    PATIENCE_S,
    TOPIC,
    Hook,
    Mailbox,
    Receiver,
    header_of,
    mail_server,
    open_slots,
    receiving,
    until,
)

WORKER = Path(__file__).parent.parent / "notify_worker.py"
# Most are webhooks: a mail costs its sender and its receiver many times as much.
HOOKS, MAILS = 4_400, 600
WORKERS = 2
SUBSCRIBE = """
INSERT INTO subscription (topic, channel, address, address_key, locale, status, manage_token_hash, webhook_secret,
                          created_at, updated_at)
SELECT %(topic)s, %(channel)s, replace(%(address)s, 'N', n::text), replace(%(address)s, 'N', n::text), 'en', 'active',
       sha256((%(channel)s || n)::bytea), CASE WHEN %(channel)s = 'webhook' THEN %(secret)s END, now(), now()
FROM generate_series(1, %(count)s) AS n
"""
BURY = """
WITH notices AS (
    UPDATE notification SET lease_until = clock_timestamp()
    WHERE leased_by = ANY (%(dead)s) AND lease_until > clock_timestamp()
    RETURNING 1
),
fanouts AS (
    UPDATE fanout SET lease_until = clock_timestamp()
    WHERE leased_by = ANY (%(dead)s) AND lease_until > clock_timestamp()
    RETURNING 1
)
SELECT pg_notify('dibs_notice', ''), pg_notify('dibs_opening', '')
WHERE EXISTS (SELECT FROM notices) OR EXISTS (SELECT FROM fanouts)
"""
DUE = """
SELECT (SELECT count(*) FROM notification WHERE due_at IS NOT NULL)
     + (SELECT count(*) FROM fanout WHERE due_at IS NOT NULL)
"""


@dataclass
class Moment:
    """A worker is to die: the one whose send is held, accepted and unanswered, or any."""

    worker: str = ""
    to: str = ""
    over: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class Script:
    """At which acceptances of a server somebody dies."""

    moments: asyncio.Queue[Moment]
    in_flight: set[int]
    anybody: set[int]
    accepted: count[int] = field(default_factory=partial(count, 1))

    async def accept(self, worker: str, to: str) -> None:
        number = next(self.accepted)
        if number in self.in_flight:
            moment = Moment(worker, to)
            self.moments.put_nowait(moment)
            await moment.over.wait()
        elif number in self.anybody:
            self.moments.put_nowait(Moment())


@dataclass
class Troupe:
    """Worker processes, each under a name that is used once."""

    database: Database
    dsn: str
    mailbox: Mailbox
    alive: dict[str, asyncio.subprocess.Process] = field(default_factory=dict[str, asyncio.subprocess.Process])
    killed: set[str] = field(default_factory=set[str])
    names: count[int] = field(default_factory=partial(count, 1))

    async def start(self) -> None:
        name = f"worker-{next(self.names)}"
        arguments = (str(WORKER), self.dsn, str(self.mailbox.port), name)
        self.alive[name] = await asyncio.create_subprocess_exec(sys.executable, *arguments)

    async def kill(self, name: str) -> None:
        process = self.alive.pop(name)
        process.kill()
        await process.wait()
        self.killed.add(name)
        await self.bury()

    async def bury(self) -> None:
        """Lets as much time pass for what the dead hold as a lease takes to end; nobody alive loses anything."""
        async with self.database.transaction() as connection:
            await connection.execute(BURY, {"dead": sorted(self.killed)})

    async def done(self) -> bool:
        """Whether nothing waits any more. A claim that the dead had asked for may have been granted after."""
        await self.bury()
        async with self.database.connection() as connection:
            cursor = await connection.execute(DUE)
            row = await cursor.fetchone()
        return row is not None and not row[0]

    async def end(self) -> None:
        for process in self.alive.values():
            process.kill()
            await process.wait()


async def subscribe_many(database: Database, channel: str, address: str, count: int) -> None:
    async with database.transaction() as connection:
        values = {
            "topic": TOPIC,
            "channel": channel,
            "address": address,
            "count": count,
            "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        }
        await connection.execute(SUBSCRIBE, values)


@asynccontextmanager
async def working(parts: Parts, dsn: str, mailbox: Mailbox) -> AsyncIterator[Troupe]:
    troupe = Troupe(parts.db, dsn, mailbox)
    try:
        for _ in range(WORKERS):
            await troupe.start()
        yield troupe
    finally:
        await troupe.end()


async def play(troupe: Troupe, scripts: tuple[Script, ...], chance: random.Random) -> list[Moment]:
    """Somebody dies at every moment of the scripts; those that were in flight."""
    in_flight: list[Moment] = []
    for _ in range(sum(len(script.in_flight | script.anybody) for script in scripts)):
        moment = await asyncio.wait_for(scripts[0].moments.get(), PATIENCE_S)
        if moment.worker:
            in_flight.append(moment)
        victim = moment.worker or chance.choice(sorted(troupe.alive))
        # The same worker may have been held twice and died already.
        if victim in troupe.alive:
            await troupe.kill(victim)
            await troupe.start()
        moment.over.set()
    return in_flight


def everything(receiver: Receiver, mailbox: Mailbox) -> list[Accepted]:
    """What both servers took, from whom."""
    hooks = [
        Accepted(receiver.url + hook.path, hook.headers["webhook-id"], hook.headers["User-Agent"])
        for hook in receiver.hooks
    ]
    mails = [Accepted(header_of(mail, "To"), header_of(mail, "Message-ID"), worker_of(mail)) for mail in mailbox.raw]
    return hooks + mails


def worker_of(mail: bytes) -> str:
    return header_of(mail, "From").partition("@")[0]


def direct(receiver: Receiver, mailbox: Mailbox, chance: random.Random) -> tuple[Script, Script]:
    """Three die while a server holds what they sent, two at any moment."""
    moments: asyncio.Queue[Moment] = asyncio.Queue()
    numbers = chance.sample(range(1, HOOKS), 4)
    for_hooks = Script(moments, set(numbers[:2]), set(numbers[2:]))
    for_mails = Script(moments, {chance.randrange(1, MAILS)}, set())

    async def hold_hook(hook: Hook) -> None:
        await for_hooks.accept(hook.headers["User-Agent"], receiver.url + hook.path)

    async def hold_mail(mail: bytes) -> None:
        await for_mails.accept(worker_of(mail), header_of(mail, "To"))

    receiver.hold, mailbox.hold = hold_hook, hold_mail
    return for_hooks, for_mails


@pytest.mark.timeout(400)
async def test_everybody_is_told_and_only_a_kill_between_acceptance_and_commit_repeats(parts: Parts, dsn: str) -> None:
    parts.clock = SystemClock()
    chance = random.Random(4)
    await keep_ledger(parts.db)
    async with receiving() as receiver, mail_server() as mailbox:
        await subscribe_many(parts.db, "webhook", f"{receiver.url}/N", HOOKS)
        await subscribe_many(parts.db, "email", "nN@example.org", MAILS)
        scripts = direct(receiver, mailbox, chance)
        async with working(parts, dsn, mailbox) as troupe:
            await open_slots(parts, "1")
            in_flight = await play(troupe, scripts, chance)
            await until(troupe.done)
        accepted = everything(receiver, mailbox)
    attempts = await read_ledger(parts.db)
    assert len({one.to for one in accepted}) == HOOKS + MAILS, "everybody was told"
    assert len({one.notice for one in accepted}) == HOOKS + MAILS, "each under an id of its own, also when repeated"
    assert faults(accepted, attempts, troupe.killed) == []
    assert len(in_flight) == 3, "kills that certainly hit a send"
    for moment in in_flight:
        senders = [one.worker for one in accepted if one.to == moment.to]
        assert moment.worker in senders, "it was accepted from the worker that died then"
        assert set(senders) - {moment.worker}, "and came again from another"
    statuses = await parts.notify.notices.list(limit=500)
    assert {notice.fanout_status for notice in statuses} == {"sent"}
