"""Room that opens while the line is being walked through is left to the next look, which starts at the front."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from capacity_harness import table
from dibs.offers import FloorKeeper, PoolKeeper
from dibs.offers.model import Check, Waiting
from dibs.offers.room import Closed, Outcome, Room
from dibs.parts import Parts
from line_harness import Told, open_line, open_pool

Happening = Callable[[], Awaitable[None]]


@dataclass
class Interrupted:
    """A real room in which something happens right after the first in line was looked at."""

    inner: Room
    happening: list[Happening]
    guarded: bool

    @property
    def ground(self) -> Any:
        return self.inner.ground

    async def fitting(self, place: Waiting, starts: Sequence[datetime]) -> Sequence[datetime]:
        found = await self.inner.fitting(place, starts)
        if self.happening:
            await self.happening.pop()()
        return found

    async def offer(self, place: Waiting, start: datetime, *, overtakes: bool) -> Outcome:
        return await self.inner.offer(place, start, overtakes=overtakes and self.guarded)


def interrupt(monkeypatch: pytest.MonkeyPatch, happening: Happening, *, guarded: bool) -> None:
    """The usher's rooms are interrupted once, whichever kind they are."""
    happenings = [happening]

    def interrupting(kind: type[FloorKeeper | PoolKeeper]) -> None:
        inner: Any = kind.open

        async def opened(keeper: Any, check: Check, line: Sequence[Waiting], now: datetime) -> Room | Closed:
            room = await inner(keeper, check, line, now)
            return room if isinstance(room, Closed) else Interrupted(room, happenings, guarded)

        monkeypatch.setattr(kind, "open", opened)

    interrupting(FloorKeeper)
    interrupting(PoolKeeper)


async def turns(line: Told) -> list[str]:
    for _ in range(3):
        await line.turn()
    return line.told()


async def couple_before_four(parts: Parts, patch: pytest.MonkeyPatch, *, guarded: bool) -> list[str]:
    """A couple waits before a party of four; the only table is freed after the couple was told that it is taken."""
    line = await open_line(parts, table("A1", 4))
    seated = await line.fill()
    await line.join("two", 2)
    await line.join("four", 4)
    interrupt(patch, lambda: line.cancel(seated), guarded=guarded)
    return await turns(line)


async def test_a_table_that_opens_during_the_walk_goes_to_the_first(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await couple_before_four(parts, monkeypatch, guarded=True) == ["two"]


async def test_control_without_the_guard_the_second_gets_it(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await couple_before_four(parts, monkeypatch, guarded=False) == ["four"]


async def two_before_one(parts: Parts, patch: pytest.MonkeyPatch, *, guarded: bool) -> list[str]:
    """Two passes are wanted, then one; one is free, somebody takes it, and then two come back."""
    pool = await open_pool(parts, capacity=3)
    await pool.take("other", 2)
    await pool.join("two", 2)
    await pool.join("one", 1)

    async def happens() -> None:
        await pool.take("quick")
        await pool.free("other")

    interrupt(patch, happens, guarded=guarded)
    return await turns(pool)


@pytest.mark.parametrize(("guarded", "told"), [(True, ["two"]), (False, ["one"])])
async def test_passes_that_come_back_during_the_walk(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, guarded: bool, told: list[str]
) -> None:
    """The control is the same without the guard."""
    assert await two_before_one(parts, monkeypatch, guarded=guarded) == told


async def test_nothing_is_left_held_by_a_walk_that_ended_early(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    line = await open_line(parts, table("A1", 4))
    seated = await line.fill()
    await line.join("two", 2)
    await line.join("four", 4)
    interrupt(monkeypatch, lambda: line.cancel(seated), guarded=True)
    await line.turn()
    async with parts.db.connection() as connection:
        cursor = await connection.execute(b"SELECT count(*) FROM table_holds WHERE status = 'held'")
        held = await cursor.fetchone()
        cursor = await connection.execute(b"SELECT count(*) FROM offer")
        offers = await cursor.fetchone()
    assert held == offers
