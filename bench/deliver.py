"""`deliver`: 20,000 notices to an in-process channel that accepts at once, against a bare claim/settle loop.

The floor claims and settles the same rows through `work/` with the same batch size, one batch after the other, and
does nothing in between. Ours also reads subscriptions and events, decides, composes the message, passes the
lanes, and writes the outcome and the subscription's history.
"""

from __future__ import annotations

import statistics
import time

from bench.harness import Bench, Result
from bench.harness.notices import SUBSCRIPTIONS, check_sent, deliver_all, fresh_notices
from dibs.config import Config
from dibs.notify import build_notify
from dibs.notify.delivery_store import NOTICES
from dibs.notify.model import ChannelName, Message, Ok, Outcome
from dibs.parts import Parts
from dibs.work import claim, settle

CHECK = b"""
ALTER TABLE notification ADD CONSTRAINT notification_check1
    CHECK ((fanout_status = 'pending') = (due_at IS NOT NULL))
"""


class Accepting:
    """A channel that is always content."""

    name: ChannelName = "webhook"
    width = 256

    def __init__(self) -> None:
        self.taken = 0

    async def check(self, address: str) -> str:
        return address

    def host(self, address: str) -> str:
        return address.split("/")[2]

    async def send(self, message: Message) -> Outcome:
        self.taken += bool(message.idempotency_key)
        return Ok()

    async def close(self) -> None:
        return


async def run(bench: Bench) -> list[Result]:
    count = bench.sized(20_000, 1_000)
    address = "'https://h' || n % 1000 || '.example/' || n"
    await bench.fill(SUBSCRIPTIONS.format(address=address, count=count))
    async with bench.parts() as parts:
        pairs = [(await _ours(parts, count), await _floor(parts, count)) for _ in range(bench.sized(6, 2))]
    value, floor = (statistics.median(column) for column in zip(*pairs[1:], strict=True))
    note = f"{count:,} notices, batches of {Config().notify.batch}"
    return [Result("deliver", value, "notices/s", floor=floor, at_least=0.5, note=note)]


async def _ours(parts: Parts, count: int) -> float:
    await fresh_notices(parts)
    channel = Accepting()
    notify = build_notify(
        parts.config,
        parts.db,
        parts.clock,
        parts.wake,
        worker="bench",
        public_url="https://dibs.example",
        signing_key=parts.signing_key,
        channels={"webhook": channel},
    )
    started = time.perf_counter()
    await deliver_all(parts, notify)
    took = time.perf_counter() - started
    assert channel.taken == count
    await check_sent(parts, count)
    return count / took


async def _floor(parts: Parts, count: int) -> float:
    await fresh_notices(parts)
    queue, batch, left = NOTICES["webhook"], parts.config.notify.batch, count
    # The floor has no status to keep in step with the due time; ours is measured with the check in place.
    await _run(parts, b"ALTER TABLE notification DROP CONSTRAINT notification_check1")
    started = time.perf_counter()
    while left:
        async with parts.db.transaction() as connection:
            claimed = await claim(connection, queue, limit=batch, lease_s=120, worker="bench", now=None)
        async with parts.db.transaction() as connection:
            left -= len(await settle(connection, queue, claimed.token, dict.fromkeys(claimed.keys)))
    took = time.perf_counter() - started
    await _run(parts, b"TRUNCATE notification")
    await _run(parts, CHECK)
    return count / took


async def _run(parts: Parts, statement: bytes) -> None:
    async with parts.db.connection() as connection:
        await connection.execute(statement)
