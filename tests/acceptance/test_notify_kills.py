"""Workers are killed with -9 at random while 5,000 notices go out to a web server and a mail server."""

from __future__ import annotations

import asyncio
import random
import sys
from collections import defaultdict
from functools import partial
from pathlib import Path

import pytest

from dibs.clock import SystemClock
from dibs.db import Database
from dibs.parts import Parts
from notify_harness import TOPIC, Mailbox, Receiver, mail_server, open_slots, receiving, until

WORKER = Path(__file__).parent.parent / "notify_worker.py"
# Most are webhooks: a mail costs its sender and its receiver many times as much.
HOOKS, MAILS = 4_400, 600
KILLS = 4
WORKERS = 2
SUBSCRIBE = """
INSERT INTO subscription (topic, channel, address, address_key, locale, status, manage_token_hash, webhook_secret,
                          created_at, updated_at)
SELECT %(topic)s, %(channel)s, replace(%(address)s, 'N', n::text), replace(%(address)s, 'N', n::text), 'en', 'active',
       sha256((%(channel)s || n)::bytea), CASE WHEN %(channel)s = 'webhook' THEN %(secret)s END, now(), now()
FROM generate_series(1, %(count)s) AS n
"""


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


async def start(dsn: str, mailbox: Mailbox) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(sys.executable, str(WORKER), dsn, str(mailbox.port))


async def arrived(receiver: Receiver, mailbox: Mailbox, share: int) -> bool:
    return len(receiver.hooks) + len(mailbox.raw) >= share


async def all_done(database: Database) -> bool:
    async with database.connection() as connection:
        cursor = await connection.execute(
            "SELECT (SELECT count(*) FROM notification WHERE due_at IS NOT NULL)"
            " + (SELECT count(*) FROM fanout WHERE due_at IS NOT NULL)"
        )
        row = await cursor.fetchone()
    return row is not None and not row[0]


async def kill_at_random(
    dsn: str, workers: list[asyncio.subprocess.Process], receiver: Receiver, mailbox: Mailbox
) -> None:
    """Each time another share has arrived, one worker dies in the middle of its work and a new one comes."""
    chance = random.Random(4)
    for kill in range(KILLS):
        share = (kill + 1) * (HOOKS + MAILS) // (KILLS + 2)
        await until(partial(arrived, receiver, mailbox, share))
        victim = workers.pop(chance.randrange(len(workers)))
        victim.kill()
        await victim.wait()
        workers.append(await start(dsn, mailbox))


def by_address(receiver: Receiver, mailbox: Mailbox) -> dict[str, list[str]]:
    """For each address, the ids of what arrived there."""
    received: defaultdict[str, list[str]] = defaultdict(list)
    for hook in receiver.hooks:
        received[hook.path].append(hook.headers["webhook-id"])
    for address, message_id in zip(mailbox.headers("To"), mailbox.headers("Message-ID"), strict=True):
        received[address].append(message_id)
    return received


@pytest.mark.timeout(300)
async def test_every_subscription_gets_its_notice_and_a_repeat_carries_the_same_id(parts: Parts, dsn: str) -> None:
    parts.clock = SystemClock()
    async with receiving() as receiver, mail_server() as mailbox:
        await subscribe_many(parts.db, "webhook", f"{receiver.url}/N", HOOKS)
        await subscribe_many(parts.db, "email", "nN@example.org", MAILS)
        workers = [await start(dsn, mailbox) for _ in range(WORKERS)]
        try:
            await open_slots(parts, "1")
            await kill_at_random(dsn, workers, receiver, mailbox)
            await until(partial(all_done, parts.db))
        finally:
            for worker in workers:
                worker.kill()
                await worker.wait()
        received = by_address(receiver, mailbox)
    assert len(received) == HOOKS + MAILS, "everybody was told"
    assert all(len(set(ids)) == 1 for ids in received.values()), "a repeat is recognisable"
    assert len({ids[0] for ids in received.values()}) == HOOKS + MAILS, "and nothing else is"
    statuses = await parts.notify.notices.list(limit=500)
    assert {notice.fanout_status for notice in statuses} == {"sent"}
