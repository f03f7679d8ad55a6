"""Following the events: every one, once, in order, also when transactions finish out of order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from dibs.openings import OpenEvent, put_slots, record
from dibs.parts import Parts
from openings_harness import opened, slot

PATIENCE_S = 20


@pytest.fixture
async def streaming(parts: Parts) -> AsyncIterator[Parts]:
    await parts.stream.start()
    yield parts
    await parts.stream.stop()


async def open_one(parts: Parts, key: str) -> int:
    async with parts.db.transaction() as connection:
        await put_slots(connection, [slot(parts, key)])
        return (await record(connection, [opened(parts, key)]))[0].open_event_id


async def take(events: AsyncIterator[OpenEvent | None], count: int) -> list[str]:
    keys: list[str] = []
    async with asyncio.timeout(PATIENCE_S):
        async for event in events:
            if event:
                keys.append(event.slot_key)
            if len(keys) == count:
                break
    return keys


async def test_a_stream_that_is_rung_while_it_is_stopped_stops(parts: Parts) -> None:
    for _ in range(20):
        await parts.stream.start()
        await asyncio.wait_for(_waiting(parts), PATIENCE_S)
        parts.wake.ring("dibs_opening")
        await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE_S):
            await parts.stream.stop()


async def _waiting(parts: Parts) -> None:
    """Until the stream waits for its bell: it has heard it, looked, and found nothing."""
    bell = parts.wake.subscribe("dibs_opening")
    parts.wake.ring("dibs_opening")
    await bell.wait()
    for _ in range(5):
        await asyncio.sleep(0.01)
    parts.wake.unsubscribe("dibs_opening", bell)


async def test_who_read_the_past_goes_on_from_the_start_of_the_stream(streaming: Parts) -> None:
    """What opened between the two is in both, and nothing is in neither."""
    await open_one(streaming, "a")
    await asyncio.wait_for(_settled(streaming), PATIENCE_S)
    await open_one(streaming, "b")
    assert await take(streaming.stream.follow(since_start=True), 2) == ["a", "b"]


async def test_a_reader_sees_what_opens_after_it_came(streaming: Parts) -> None:
    await open_one(streaming, "before")
    await asyncio.wait_for(_settled(streaming), PATIENCE_S)
    events = streaming.stream.follow()
    assert await anext(events) is None
    await open_one(streaming, "a")
    await open_one(streaming, "b")
    assert await take(events, 2) == ["a", "b"]


async def _settled(parts: Parts) -> None:
    """Waits until the stream has read the event that is already there."""
    async for event in parts.stream.follow(0):
        if event:
            return


async def test_a_reader_resumes_after_the_last_it_saw(streaming: Parts) -> None:
    first = await open_one(streaming, "a")
    await open_one(streaming, "b")
    await open_one(streaming, "c")
    assert await take(streaming.stream.follow(first), 2) == ["b", "c"]
    assert await take(streaming.stream.follow(0), 3) == ["a", "b", "c"]


async def test_a_slow_transaction_with_a_smaller_id_is_not_missed(streaming: Parts) -> None:
    events = streaming.stream.follow()
    assert await anext(events) is None
    async with streaming.db.transaction() as slow:
        await put_slots(slow, [slot(streaming, "slow")])
        await record(slow, [opened(streaming, "slow")])
        await open_one(streaming, "quick")
    assert sorted(await take(events, 2)) == ["quick", "slow"]


async def test_a_reader_far_behind_reads_from_the_database(streaming: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await open_one(streaming, "0")
    async with streaming.db.transaction() as connection:
        keys = [f"{number:04d}" for number in range(1, 2_300)]
        await put_slots(connection, [slot(streaming, key) for key in keys])
        await record(connection, [opened(streaming, key) for key in keys])
    assert await take(streaming.stream.follow(first), len(keys)) == keys
