"""Claim, renew, settle: one lease for everything that falls due."""

from __future__ import annotations

from datetime import timedelta

import pytest

from dibs.clock import FakeClock
from dibs.db import Database
from dibs.work import Claim, Queue, claim, renew, settle

CHORES = Queue(table="chore", key="chore_id", key_type="bigint", ready="item.kind = 'open'", order="due_at, chore_id")


@pytest.fixture
async def chores(db: Database, clock: FakeClock) -> Database:
    async with db.transaction() as connection:
        await connection.execute(
            b"CREATE TABLE chore (chore_id bigint PRIMARY KEY, kind text NOT NULL DEFAULT 'open', due_at timestamptz,"
            b" lease_token uuid, lease_until timestamptz, leased_by text)"
        )
        await connection.execute(
            b"INSERT INTO chore (chore_id, due_at) SELECT number, %(now)s FROM generate_series(1, 5) AS number",
            {"now": clock.now()},
        )
    return db


async def take(db: Database, clock: FakeClock, *, limit: int = 10, worker: str = "w") -> Claim:
    async with db.transaction() as connection:
        return await claim(connection, CHORES, limit=limit, lease_s=30, worker=worker, now=clock.for_database())


async def give_back(db: Database, clock: FakeClock, claimed: Claim, again_s: float | None) -> set[int]:
    due = clock.now() + timedelta(seconds=again_s) if again_s is not None else None
    async with db.transaction() as connection:
        return await settle(connection, CHORES, claimed.token, dict.fromkeys(claimed.keys, due))


async def test_an_item_is_claimed_by_one_only(chores: Database, clock: FakeClock) -> None:
    first = await take(chores, clock, limit=3)
    second = await take(chores, clock, limit=3)
    assert sorted(first.keys + second.keys) == [1, 2, 3, 4, 5]
    assert (await take(chores, clock)).keys == []


async def test_two_claims_at_once_do_not_wait_for_each_other(chores: Database, clock: FakeClock) -> None:
    async with chores.transaction() as one, chores.transaction() as other:
        first = await claim(one, CHORES, limit=3, lease_s=30, worker="a", now=clock.now())
        second = await claim(other, CHORES, limit=3, lease_s=30, worker="b", now=clock.now())
    assert set(first.keys).isdisjoint(second.keys)
    assert len(first.keys) + len(second.keys) == 5


async def test_what_is_not_due_or_not_ready_waits(chores: Database, clock: FakeClock) -> None:
    async with chores.transaction() as connection:
        await connection.execute(b"UPDATE chore SET due_at = due_at + interval '1 minute' WHERE chore_id = 1")
        await connection.execute(b"UPDATE chore SET due_at = NULL WHERE chore_id = 2")
        await connection.execute(b"UPDATE chore SET kind = 'shut' WHERE chore_id = 3")
    assert sorted((await take(chores, clock)).keys) == [4, 5]
    clock.advance(60)
    assert 1 in (await take(chores, clock)).keys


async def test_a_dead_worker_is_replaced_and_cannot_settle(chores: Database, clock: FakeClock) -> None:
    dead = await take(chores, clock, worker="dead")
    clock.advance(31)
    heir = await take(chores, clock, worker="heir")
    assert sorted(heir.keys) == [1, 2, 3, 4, 5]
    assert await give_back(chores, clock, dead, None) == set()
    assert await give_back(chores, clock, heir, None) == {1, 2, 3, 4, 5}


async def test_a_renewed_lease_is_kept(chores: Database, clock: FakeClock) -> None:
    held = await take(chores, clock)
    clock.advance(20)
    async with chores.transaction() as connection:
        kept = await renew(connection, CHORES, held.token, held.keys, lease_s=30, now=clock.now())
    assert kept == {1, 2, 3, 4, 5}
    clock.advance(20)
    assert (await take(chores, clock)).keys == []


async def test_who_lost_the_lease_cannot_renew_it(chores: Database, clock: FakeClock) -> None:
    lost = await take(chores, clock)
    clock.advance(31)
    await take(chores, clock)
    async with chores.transaction() as connection:
        assert await renew(connection, CHORES, lost.token, lost.keys, lease_s=30, now=clock.now()) == set()


async def test_a_settled_item_is_due_again_when_it_says(chores: Database, clock: FakeClock) -> None:
    held = await take(chores, clock)
    await give_back(chores, clock, held, 10)
    assert (await take(chores, clock)).keys == []
    clock.advance(10)
    assert len((await take(chores, clock)).keys) == 5


async def test_without_a_fake_clock_the_database_tells_the_time(chores: Database) -> None:
    async with chores.transaction() as connection:
        await connection.execute(b"UPDATE chore SET due_at = clock_timestamp() - interval '1 second'")
    async with chores.transaction() as connection:
        held = await claim(connection, CHORES, limit=9, lease_s=30, worker="w", now=None)
        late = await claim(connection, CHORES, limit=9, lease_s=30, worker="w", now=None)
    assert len(held.keys) == 5
    assert late.keys == []
