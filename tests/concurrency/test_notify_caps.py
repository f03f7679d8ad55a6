"""A cap that is set while notices are made and sent: never exceeded, and no place is lost."""

from __future__ import annotations

import asyncio

from dibs.notify import Change
from dibs.notify import delivery_store as store
from dibs.notify.model import GiveUp, Message, Ok, Outcome
from dibs.parts import Parts
from notify_harness import RecordingChannel, Rig, open_slots, rig


class Held(RecordingChannel):
    """Keeps what is sent in the air until it is told how that ended."""

    def __init__(self) -> None:
        super().__init__()
        self.outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

    async def send(self, message: Message) -> Outcome:
        await super().send(message)
        return await self.outcome


async def cap(it: Rig, subscription_id: int, most: int | None) -> None:
    await it.notify.manage.change(subscription_id, Change(preferences={"max_notifications": most}))


async def places(parts: Parts, subscription_id: int) -> tuple[int, int]:
    """What was sent of the allowance, and how many of its places are taken."""
    async with parts.db.connection() as connection:
        cursor = await connection.execute(
            "SELECT notices_sent, notices_reserved FROM subscription WHERE subscription_id = %s", [subscription_id]
        )
        row = await cursor.fetchone()
    assert row
    return row[0], row[1]


async def test_a_cap_set_while_a_fan_out_runs_holds_for_what_that_fan_out_makes(parts: Parts) -> None:
    it = rig(parts)
    made = await it.subscribe()
    events = await open_slots(parts, "1", "2", "3")
    async with parts.db.transaction() as connection:
        await connection.execute("UPDATE fanout SET due_at = NULL")
        await store.fan_out(
            connection, open_event_ids=events, verify_email=False, expire_after_s=3600, now=parts.clock.now()
        )
        # The fan-out has looked, found no cap, and is not committed: nobody can see its notices yet.
        await cap(it, made.subscription_id, 1)
        assert await it.notify.notices.list() == []
    assert await it.statuses() == [("pending", None)] * 3, "the control: three notices wait under a cap of one"
    await it.notify.deliver.drain()
    assert len(it.channel.sent) == 1
    assert await it.statuses() == [("sent", None), ("skipped", "capped"), ("skipped", "capped")]
    subscription = await it.notify.manage.get(made.subscription_id)
    assert (subscription.status, subscription.reason) == ("paused", "max_notifications")


async def test_what_waits_when_a_cap_is_set_shares_it(parts: Parts) -> None:
    it = rig(parts)
    made = await it.subscribe()
    await open_slots(parts, "1", "2", "3", "4", "5")
    await it.fan_out()
    await cap(it, made.subscription_id, 4)
    assert (await it.statuses()).count(("pending", None)) == 4
    await cap(it, made.subscription_id, 2)
    assert (await it.statuses()).count(("pending", None)) == 2
    assert await places(parts, made.subscription_id) == (0, 2)
    await it.tell()
    assert len(it.channel.sent) == 2
    assert (await it.notify.manage.get(made.subscription_id)).status == "paused"


async def capped_in_the_air(parts: Parts) -> tuple[Rig, Held, int]:
    """A notice is being sent when its subscription is capped at one."""
    channel = Held()
    it = rig(parts, channel=channel)
    made = await it.subscribe()
    await open_slots(parts, "1")
    await it.fan_out()
    await it.notify.deliver.run_once()
    await asyncio.wait_for(channel.arrived.wait(), 30)
    await cap(it, made.subscription_id, 1)
    return it, channel, made.subscription_id


async def test_what_is_in_the_air_when_a_cap_is_set_counts(parts: Parts) -> None:
    it, channel, subscription_id = await capped_in_the_air(parts)
    channel.outcome.set_result(Ok())
    await it.notify.deliver.finish(30)
    await open_slots(parts, "2")
    await it.tell()
    assert len(channel.sent) == 1
    assert (await it.notify.manage.get(subscription_id)).status == "paused"


async def test_what_fails_in_the_air_gives_its_place_back(parts: Parts) -> None:
    it, channel, subscription_id = await capped_in_the_air(parts)
    assert await places(parts, subscription_id) == (0, 1)
    channel.outcome.set_result(GiveUp("http_400", "x"))
    await it.notify.deliver.finish(30)
    assert await places(parts, subscription_id) == (0, 0), "else nobody would ever be told again"


async def test_a_cap_that_is_lifted_and_set_again_counts_from_the_start(parts: Parts) -> None:
    it = rig(parts)
    made = await it.subscribe(max_notifications=3)
    await open_slots(parts, "1")
    await it.tell()
    await cap(it, made.subscription_id, None)
    await open_slots(parts, "2", "3")
    await it.tell()
    await cap(it, made.subscription_id, 2)
    await open_slots(parts, "4", "5", "6")
    await it.tell()
    assert len(it.channel.sent) == 5
    assert await places(parts, made.subscription_id) == (2, 2)


async def test_caps_set_at_any_moment_are_kept_to_the_notice(parts: Parts) -> None:
    """Fan-outs and the changes at once, in whatever order the database lets them through."""
    workers = [rig(parts) for _ in range(3)]
    addresses = [f"https://h{number}.example/" for number in range(12)]
    numbers = [(await workers[0].subscribe(address)).subscription_id for address in addresses]
    await open_slots(parts, "1", "2", "3", "4", "5")
    changes = [cap(workers[0], number, 2) for number in numbers]
    await asyncio.gather(*changes, *(it.notify.fan_out.run_once() for it in workers))
    for it in workers:
        await it.fan_out()
    await asyncio.gather(*(it.notify.deliver.drain() for it in workers))
    told = [message.address for it in workers for message in it.channel.sent]
    assert {address: told.count(address) for address in addresses} == dict.fromkeys(addresses, 2)
    assert {await places(parts, number) for number in numbers} == {(2, 2)}
