"""A watch and its lane are claimed together and put back together, whoever else is at them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from dibs.clock import FakeClock
from dibs.config import Cadence, Provider
from dibs.config.sections import Pace
from dibs.db import Connection
from dibs.sim.json_world import JsonWorld
from dibs.watch import Poller, PollResult
from dibs.watch.claim import Claimed, claim_due
from dibs.watch.look import look
from dibs.watch.poll import Heartbeats
from dibs.watch.settle import Settler
from watch_harness import Rig, json_provider, rig

LANES = 3


@asynccontextmanager
async def parks(
    dsn: str, clock: FakeClock, count: int, *, lanes: int = LANES, world: JsonWorld | None = None
) -> AsyncIterator[Rig]:
    """So many watches, all of them due, on a provider with so many lanes."""
    pace = Pace(workers=lanes, degraded_workers=1, gap_ms=2000, degraded_gap_ms=2000, timeout_s=5.0)
    async with (
        (world or JsonWorld()).serving() as server,
        rig(dsn, clock, server, {"camps": json_provider(server, pace=pace)}) as made,
    ):
        for number in range(count):
            await made.parts.watches.add("camps", {"park": f"p{number}", "month": "2026-07"})
        yield made


async def claim(made: Rig, most: int = 64, worker: str = "test") -> list[Claimed]:
    return await claim_due(made.parts.db, made.clock, made.parts.providers["camps"], most=most, worker=worker)


async def rows(connection: Connection, statement: bytes) -> list[tuple[Any, ...]]:
    return await (await connection.execute(statement)).fetchall()


async def lanes_held(made: Rig) -> int:
    async with made.parts.db.connection() as connection:
        ((held,),) = await rows(connection, b"SELECT count(*) FROM provider_lane WHERE holder IS NOT NULL")
    return held


async def watches_held(made: Rig) -> int:
    async with made.parts.db.connection() as connection:
        ((held,),) = await rows(connection, b"SELECT count(*) FROM watch WHERE lease_token IS NOT NULL")
    return held


async def test_as_many_as_there_are_lanes(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 5) as made:
        claimed = await claim(made)
        assert sorted(one.lane.number for one in claimed) == [0, 1, 2]
        assert (await lanes_held(made), await watches_held(made)) == (3, 3)
        assert await claim(made) == []


async def test_a_lane_without_a_watch_stays_free(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 1) as made:
        (claimed,) = await claim(made)
        assert claimed.key == "camps:p0_2026-07"
        assert (await lanes_held(made), await watches_held(made)) == (1, 1)


async def test_the_longest_waiting_come_first(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 5) as made:
        order = b"UPDATE watch SET due_at = due_at - substr(bucket_id, 2, 1)::int * interval '1 second'"
        async with made.parts.db.connection() as connection:
            await connection.execute(order)
        assert {one.row.query["park"] for one in await claim(made, most=2)} == {"p4", "p3"}


async def test_two_who_claim_at_once_get_different_ones(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 40, lanes=30) as made:
        shares = await asyncio.gather(*(claim(made, most=9, worker=f"w{n}") for n in range(6)))
        claimed = [one for share in shares for one in share]
        assert len({one.key for one in claimed}) == len({one.lane.number for one in claimed}) == len(claimed) <= 30
        assert await lanes_held(made) == await watches_held(made) == len(claimed)


async def test_what_somebody_is_at_is_passed_over(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 3) as made, made.parts.db.transaction() as connection:
        await rows(connection, b"SELECT FROM watch WHERE bucket_id LIKE 'p0%' FOR UPDATE")
        assert {one.row.query["park"] for one in await claim(made)} == {"p1", "p2"}


async def test_none_while_the_provider_is_paused(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 3) as made:
        pace = made.parts.providers["camps"].pace
        async with made.parts.db.connection() as connection:
            await pace.prepare(connection)
            await pace.soft_outage(connection)
        assert await claim(made) == []
        clock.advance(pace.pace.soft_outage_pause_s + 1)
        (careful,) = await claim(made)
        assert careful.lane.degraded


async def beat(made: Rig, claimed: list[Claimed]) -> dict[str, str]:
    """Their heartbeats, written together."""
    looks = [await look(made.parts.client, made.parts.db, made.clock, one) for one in claimed]
    assert all(one.seen is None for one in looks)
    results = await Settler(made.parts.db, made.clock).beats(looks)
    return {key: result.outcome for key, result in results.items()}


async def settled_once(made: Rig) -> None:
    """Every watch has been read, so that the next look finds nothing new."""
    for _ in range(20):
        await made.step(20)


async def test_a_heartbeat_puts_both_back(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 3) as made:
        await settled_once(made)
        clock.advance(20)
        assert set((await beat(made, await claim(made))).values()) == {"unchanged"}
        assert (await lanes_held(made), await watches_held(made)) == (0, 0)
        # The watches are due at their interval, the lanes after their rest.
        clock.advance(15)
        assert len(await claim(made)) == 3


async def test_a_lane_rests_after_a_heartbeat(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 6) as made:
        await settled_once(made)
        clock.advance(20)
        await beat(made, await claim(made))
        assert await claim(made) == []
        clock.advance(2)
        assert len(await claim(made)) == 3


async def test_a_heartbeat_whose_lease_went_on_changes_nothing(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 3) as made:
        await settled_once(made)
        clock.advance(20)
        slow = await claim(made, worker="slow")
        clock.advance(60)
        quick = await claim(made, worker="quick")
        assert len(slow) == len(quick) == 3
        assert set((await beat(made, slow)).values()) == {"lost"}
        # Both still belong to the other one.
        assert (await lanes_held(made), await watches_held(made)) == (3, 3)
        assert set((await beat(made, quick)).values()) == {"unchanged"}
        assert (await lanes_held(made), await watches_held(made)) == (0, 0)


async def test_one_lost_lease_does_not_hold_up_the_others(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 3) as made:
        await settled_once(made)
        clock.advance(20)
        claimed = await claim(made)
        async with made.parts.db.connection() as connection:
            await connection.execute(b"UPDATE watch SET lease_token = NULL WHERE bucket_id LIKE 'p1%'")
        outcomes = await beat(made, claimed)
        assert outcomes.pop("camps:p1_2026-07") == "lost"
        assert set(outcomes.values()) == {"unchanged"}
        assert await lanes_held(made) == 0


async def test_who_stops_waiting_for_a_heartbeat_keeps_nobody_else(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 3) as made, asyncio.timeout(20):
        await settled_once(made)
        clock.advance(20)
        looks = [await look(made.parts.client, made.parts.db, clock, one) for one in await claim(made)]
        beats = Heartbeats(Settler(made.parts.db, clock))
        waiting = [asyncio.create_task(beats.settle(one)) for one in looks]
        await asyncio.sleep(0)
        waiting[0].cancel()
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert isinstance(results[0], asyncio.CancelledError)
        assert [one.outcome for one in results[1:] if isinstance(one, PollResult)] == ["unchanged", "unchanged"]


async def polled(made: Rig) -> dict[str, int]:
    statement = b"SELECT watch_key, count(*) FROM watch_snapshot GROUP BY watch_key"
    async with made.parts.db.connection() as connection:
        return dict(await rows(connection, statement))


async def pass_once(made: Rig, poller: Poller) -> float:
    wait_s = await poller.run_once()
    await poller.drain()
    return wait_s


async def test_who_is_behind_serves_everybody(dsn: str, clock: FakeClock):
    """Twelve watches, three lanes: shares of one, and nobody is passed over."""
    async with parks(dsn, clock, 12) as made:
        poller = made.parts.poller
        for _ in range(16):
            await pass_once(made, poller)
            clock.advance(0.7)
        counts = await polled(made)
        assert len(counts) == 12
        assert set(counts.values()) == {1}, counts


async def test_who_is_behind_keeps_nobody_else_waiting(dsn: str, clock: FakeClock):
    """One provider has always more due than it has lanes, another has one watch."""
    slow = Pace(workers=1, gap_ms=0, timeout_s=5.0)
    busy = {"cadence": Cadence(interval_s=0.1, jitter=0), "pace": slow}
    async with JsonWorld().serving() as server:
        providers: dict[str, Provider] = {"busy": json_provider(server, **busy), "calm": json_provider(server)}
        async with rig(dsn, clock, server, providers) as made:
            for number in range(6):
                await made.parts.watches.add("busy", {"park": f"p{number}", "month": "2026-07"})
            await made.parts.watches.add("calm", {"park": "p0", "month": "2026-07"})
            for _ in range(40):
                await pass_once(made, made.parts.poller)
                clock.advance(1)
            counts = await polled(made)
    assert counts.pop("calm:p0_2026-07") == 3
    assert sum(counts.values()) == 40
    assert set(counts.values()) <= {6, 7}


async def test_a_pass_says_when_there_is_more(dsn: str, clock: FakeClock):
    async with parks(dsn, clock, 2) as made:
        poller = made.parts.poller
        assert await pass_once(made, poller) == 1.0
        clock.advance(14.5)
        # Both are due in half a second.
        assert 0 < await pass_once(made, poller) <= 0.5
