"""Many workers, one event: each subscription is told once. Each guard has a control without it."""

from __future__ import annotations

import asyncio
from collections import Counter

from dibs.config import Config
from dibs.config.sections import Notify as NotifySection
from dibs.notify.delivery_store import fan_out
from dibs.notify.model import Message, Ok, Outcome
from dibs.parts import Parts
from notify_harness import TOPIC, RecordingChannel, Rig, open_slots, rig

MANY = 10_000
SUBSCRIBE = """
INSERT INTO subscription (topic, channel, address, address_key, locale, status, max_notifications, manage_token_hash,
                          webhook_secret, created_at, updated_at)
SELECT %(topic)s, 'webhook', 'https://h' || n %% 50 || '.example/' || n, n::text, 'en', 'active', %(cap)s,
       sha256(n::text::bytea), 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', now(), now()
FROM generate_series(1, %(count)s) AS n
"""


async def subscribe_many(parts: Parts, count: int, cap: int | None = None) -> None:
    async with parts.db.transaction() as connection:
        await connection.execute(SUBSCRIBE, {"topic": TOPIC, "count": count, "cap": cap})


def told(rigs: list[Rig]) -> Counter[int]:
    """How often each subscription was told."""
    return Counter(message.subscription_id for it in rigs for message in it.channel.sent)


async def test_ten_workers_one_event_ten_thousand_subscriptions_each_once(parts: Parts) -> None:
    await subscribe_many(parts, MANY)
    await open_slots(parts, "1")
    rigs = [rig(parts) for _ in range(10)]
    await asyncio.gather(*(it.notify.fan_out.run_once() for it in rigs))
    await asyncio.gather(*(it.notify.deliver.drain() for it in rigs))
    counts = told(rigs)
    assert len(counts) == MANY
    assert set(counts.values()) == {1}
    assert sum(bool(it.channel.sent) for it in rigs) > 1, "the work was shared"


class Gated(RecordingChannel):
    """Holds every send until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def send(self, message: Message) -> Outcome:
        await super().send(message)
        await self.gate.wait()
        return Ok()


async def both_claim(parts: Parts) -> Counter[int]:
    """Two workers claim one after the other, before either has sent anything."""
    await subscribe_many(parts, 20)
    await open_slots(parts, "1")
    channels = [Gated(), Gated()]
    rigs = [rig(parts, channel=channel) for channel in channels]
    await rigs[0].fan_out()
    for it in rigs:
        await it.notify.deliver.run_once()
    for it, channel in zip(rigs, channels, strict=True):
        channel.gate.set()
        await it.notify.deliver.finish(20)
    return told(rigs)


async def test_the_lease_keeps_the_second_worker_out(parts: Parts) -> None:
    assert set((await both_claim(parts)).values()) == {1}


async def test_control_without_a_lease_both_send(parts: Parts) -> None:
    parts.config = Config(notify=NotifySection(lock_ttl_s=1e-9))
    assert set((await both_claim(parts)).values()) == {2}


async def fan_out_twice(parts: Parts) -> int:
    """The same event is fanned out by two workers that both believe to hold it."""
    await subscribe_many(parts, 20)
    events = await open_slots(parts, "1")
    for _ in range(2):
        async with parts.db.transaction() as connection:
            await connection.execute("UPDATE fanout SET due_at = NULL")
            await fan_out(
                connection, open_event_ids=events, verify_email=False, expire_after_s=60, now=parts.clock.now()
            )
    async with parts.db.connection() as connection:
        row = await (await connection.execute("SELECT count(*) FROM notification")).fetchone()
    return int(row[0]) if row else 0


async def test_the_unique_key_makes_a_second_fan_out_harmless(parts: Parts) -> None:
    assert await fan_out_twice(parts) == 20


async def test_control_without_the_key_in_the_way_everybody_has_two_notices(parts: Parts) -> None:
    async with parts.db.transaction() as connection:
        # The key stays, because the statement names it; a trigger makes every row another event's.
        await connection.execute("CREATE SEQUENCE other_event START 1000")
        await connection.execute(
            "CREATE FUNCTION slip_past() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN NEW.open_event_id := nextval('other_event'); RETURN NEW; END $$"
        )
        await connection.execute(
            "CREATE TRIGGER slip_past BEFORE INSERT ON notification FOR EACH ROW EXECUTE FUNCTION slip_past()"
        )
    assert await fan_out_twice(parts) == 40


async def test_a_cap_holds_when_ten_workers_fan_out_many_openings_at_once(parts: Parts) -> None:
    await subscribe_many(parts, 30, cap=3)
    for number in range(200):
        await open_slots(parts, str(number))
    rigs = [rig(parts) for _ in range(10)]
    while any(await asyncio.gather(*(busy(it) for it in rigs))):
        pass
    await asyncio.gather(*(it.notify.deliver.drain() for it in rigs))
    assert set(told(rigs).values()) == {3}
    async with parts.db.connection() as connection:
        cursor = await connection.execute("SELECT count(*) FROM subscription WHERE status <> 'paused'")
        assert await cursor.fetchone() == (0,)


async def busy(it: Rig) -> bool:
    return await it.notify.fan_out.run_once() < 1


async def test_one_slow_host_delays_nobody_else(parts: Parts) -> None:
    class Uneven(RecordingChannel):
        def __init__(self) -> None:
            super().__init__()
            self.gate = asyncio.Event()
            self.others = asyncio.Event()

        async def send(self, message: Message) -> Outcome:
            if "slow" in message.address:
                await self.gate.wait()
                return Ok()
            self.sent.append(message)
            if len(self.sent) == 50:
                self.others.set()
            return Ok()

    channel = Uneven()
    it = rig(parts, channel=channel)
    for number in range(150):
        await it.subscribe(f"https://slow.example/{number}")
    for number in range(50):
        await it.subscribe(f"https://fast{number}.example/")
    await open_slots(parts, "1")
    await it.fan_out()
    for _ in range(3):
        await it.notify.deliver.run_once()
    async with asyncio.timeout(30):
        await channel.others.wait()
    channel.gate.set()
    await it.notify.deliver.finish(30)
