"""What many pages ask for is read once."""

from __future__ import annotations

import asyncio

import pytest

from dibs.console.shared import shared


async def test_those_who_ask_at_once_get_one_answer() -> None:
    calls: list[int] = []
    gate = asyncio.Event()

    async def load() -> int:
        calls.append(1)
        await gate.wait()
        return len(calls)

    asked = [asyncio.create_task(shared("at once", 60.0, load)) for _ in range(5)]
    await asyncio.sleep(0)
    gate.set()
    assert await asyncio.gather(*asked) == [1] * 5
    assert await shared("at once", 60.0, load) == 1
    assert len(calls) == 1


async def test_an_old_answer_is_read_again() -> None:
    answers = iter((1, 2))

    async def load() -> int:
        return next(answers)

    assert await shared("old", 0.0, load) == 1
    assert await shared("old", 0.0, load) == 2


async def test_a_failure_is_not_kept() -> None:
    async def fails() -> int:
        raise ValueError("no")

    async def works() -> int:
        return 7

    with pytest.raises(ValueError, match="no"):
        await shared("fails", 60.0, fails)
    assert await shared("fails", 60.0, works) == 7


async def test_one_who_leaves_does_not_take_the_answer_along() -> None:
    gate = asyncio.Event()

    async def load() -> int:
        await gate.wait()
        return 3

    first = asyncio.create_task(shared("leaves", 60.0, load))
    second = asyncio.create_task(shared("leaves", 60.0, load))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    gate.set()
    assert await second == 3


async def test_another_loop_starts_afresh() -> None:
    async def load() -> int:
        return 1

    assert await shared("loop", 60.0, load) == 1
    assert await asyncio.to_thread(lambda: asyncio.run(shared("loop", 60.0, load))) == 1
