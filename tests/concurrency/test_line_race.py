"""Twenty in line, three tables that open and close at random, workers killed with -9: the line's promises hold."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self
from uuid import UUID

import pytest

from capacity_harness import DINNER_AT, table
from dibs.app import parts_on
from dibs.capacity import fitting_starts
from dibs.db import fetch_all
from dibs.errors import DibsError
from dibs.offers import floor_room
from dibs.offers.floor_rules import STEP
from dibs.parts import Parts
from line_harness import LineHouse, open_line
from line_worker import SETTINGS, FastClock, configuration

WORKER = Path(__file__).parent.parent / "line_worker.py"
WORKERS = 2
KILLS = 6
# Two of them are parties of four, who need two tables at once.
PEOPLE = 20
FOURS = (4, 11)
WIDE = timedelta(hours=3, minutes=45)
# How long is waited for what must come, on however slow a machine.
PATIENCE_S = 240.0


class _Workers:
    """Real processes; one that is gone, killed or not, is replaced."""

    def __init__(self, dsn: str, origin: float) -> None:
        self._command = [sys.executable, str(WORKER), dsn, str(origin)]
        self._running: list[asyncio.subprocess.Process] = []

    async def fill(self) -> None:
        self._running = [worker for worker in self._running if worker.returncode is None]
        while len(self._running) < WORKERS:
            self._running.append(await asyncio.create_subprocess_exec(*self._command))

    async def kill(self, number: int) -> None:
        """kill -9"""
        with suppress(ProcessLookupError):
            self._running[number].kill()
        await self._running[number].wait()

    async def __aenter__(self) -> Self:
        await self.fill()
        return self

    async def __aexit__(self, *_error: object) -> None:
        for number in range(len(self._running)):
            await self.kill(number)


async def _kill_at_random(line: LineHouse, workers: _Workers, dice: random.Random) -> None:
    """Each time offers were made, or after a while without, one worker dies somewhere in its work."""
    for _ in range(KILLS):
        before = await _count_offers(line)
        for _ in range(40):
            await asyncio.sleep(0.1)
            if await _count_offers(line) >= before + 2:
                break
        await asyncio.sleep(dice.uniform(0, 0.3))
        await workers.kill(dice.randrange(WORKERS))
        await workers.fill()


async def _count_offers(line: LineHouse) -> int:
    return len(await _rows(line, "SELECT 1 AS one FROM offer"))


async def _rows(line: LineHouse, statement: str) -> list[dict[str, Any]]:
    async with line.parts.db.connection() as connection:
        return await fetch_all(connection, statement.encode())


async def _person(line: LineHouse, place_id: int, dice: random.Random, calm: asyncio.Event) -> None:
    """Claims an offer on two devices at once, declines it, or does nothing; once it is calm, claims."""
    seen: set[UUID] = set()
    while True:
        place = await line.parts.line.get(place_id)
        if place.status == "served":
            return
        if place.status == "offered" and place.offer_id and (calm.is_set() or place.offer_id not in seen):
            seen.add(place.offer_id)
            await _answer(line, place.offer_id, 0.0 if calm.is_set() else dice.random())
        await asyncio.sleep(dice.uniform(0.1, 0.3))


async def _answer(line: LineHouse, offer_id: UUID, deed: float) -> None:
    token = line.claim_token(offer_id)
    if deed < 0.25:
        await asyncio.gather(*(line.parts.claim.claim(token) for _ in range(2)), return_exceptions=True)
    elif deed < 0.6:
        await asyncio.gather(line.parts.claim.decline(token), return_exceptions=True)


async def _shuffle(line: LineHouse, dice: random.Random, calm: asyncio.Event) -> None:
    """Tables are taken and given back; at the end all of them are given back."""
    seated: list[UUID] = []
    while not calm.is_set():
        try:
            if seated and dice.random() < 0.6:
                await line.cancel(seated.pop(dice.randrange(len(seated))))
            else:
                seated.append(await line.fill(2, DINNER_AT + dice.randrange(12) * STEP))
        except (AssertionError, DibsError):
            pass
        await asyncio.sleep(0.05)
    for booking_id in seated:
        await line.cancel(booking_id)


async def _play(line: LineHouse, dsn: str, origin: float, dice: random.Random) -> None:
    """Chaos until the last worker was killed, then calm until nothing is left to do."""
    places = [
        (await line.join(f"p{number}", 4 if number in FOURS else 2, latest=DINNER_AT + WIDE)).place_id
        for number in range(PEOPLE)
    ]
    calm = asyncio.Event()
    people = [asyncio.create_task(_person(line, place_id, dice, calm)) for place_id in places]
    shuffling = asyncio.create_task(_shuffle(line, dice, calm))
    try:
        async with _Workers(dsn, origin) as workers:
            await _kill_at_random(line, workers, dice)
            calm.set()
            await shuffling
            await _until_settled(line, workers)
    finally:
        for task in (*people, shuffling):
            task.cancel()
        await asyncio.gather(*people, shuffling, return_exceptions=True)


async def _until_settled(line: LineHouse, workers: _Workers) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while left := await _left_to_do(line):
        await workers.fill()
        assert time.monotonic() < deadline, f"waited {PATIENCE_S:.0f} s: {left}"
        await asyncio.sleep(0.3)


async def _left_to_do(line: LineHouse) -> str:
    """What still has to happen: an offer to be answered, a hold to run out, room for somebody who waits."""
    if await _rows(line, "SELECT 1 AS one FROM offer WHERE status = 'live'"):
        return "an offer is not answered"
    if await _rows(line, "SELECT 1 AS one FROM table_holds WHERE status = 'held'"):
        return "something is held for nobody"
    for place in await _rows(line, "SELECT party_size, refused, place_id FROM line_place WHERE status = 'waiting'"):
        if await _room_for(line, place["party_size"], place["refused"]):
            return f"place {place['place_id']} is skipped: there is room that it waits for"
    return ""


async def _room_for(line: LineHouse, party_size: int, refused: Sequence[datetime]) -> list[datetime]:
    wanted = [DINNER_AT + number * STEP for number in range(int(WIDE / STEP) + 1)]
    starts = [start for start in wanted if start not in refused and start >= line.parts.clock.now()]
    return await fitting_starts(line.parts.capacity, line.house.slug, party_size, starts)


async def _broken_promises(line: LineHouse) -> list[str]:
    """What a look at the tables says went wrong, without asking the guards."""
    wrong: list[str] = []
    overlaps = await _rows(
        line,
        "SELECT one.table_id FROM allocations one JOIN allocations other ON one.table_id = other.table_id"
        " AND one.allocation_id < other.allocation_id AND one.blocked && other.blocked",
    )
    claimed = await _rows(line, "SELECT place_id, booking_id FROM offer WHERE status = 'claimed'")
    live = await _rows(line, "SELECT place_id FROM offer WHERE status = 'live' GROUP BY place_id HAVING count(*) > 1")
    booked = await _rows(line, "SELECT booking_id FROM bookings WHERE status = 'confirmed'")
    if overlaps:
        wrong.append("a table was given twice")
    if any(count > 1 for count in Counter(row["place_id"] for row in claimed).values()):
        wrong.append("somebody got two")
    if sorted(row["booking_id"] for row in claimed) != sorted(row["booking_id"] for row in booked):
        wrong.append("a booking without a claim, or a claim without a booking")
    if live:
        wrong.append("somebody has two offers at once")
    return wrong + await _broken_order(line)


async def _broken_order(line: LineHouse) -> list[str]:
    """Who was offered something for the first time before somebody of the same size in front; all ranges are equal."""
    places = await _rows(
        line,
        "SELECT party_size, (SELECT min(open_event_id) FROM offer WHERE offer.place_id = place.place_id)"
        " AS first FROM line_place AS place ORDER BY rank, place_id",
    )
    by_size: dict[int, list[float]] = defaultdict(list)
    for place in places:
        by_size[place["party_size"]].append(place["first"] or float("inf"))
    return [f"the order of parties of {size}" for size, firsts in by_size.items() if firsts != sorted(firsts)]


@pytest.mark.timeout(600)
async def test_nobody_gets_two_and_nobody_is_skipped(dsn: str) -> None:
    origin = time.time()
    async with parts_on(dsn, configuration(pool_size=24), FastClock(origin)) as parts:
        vars(parts)["line_settings"] = SETTINGS
        line = await open_line(parts, table("A1", 2), table("A2", 2), table("A3", 2))
        await _play(line, dsn, origin, random.Random(11))
        assert await _broken_promises(line) == []
        places = await parts.line.list_places(live=False, limit=500)
        assert len(places) == PEOPLE
        assert {place.status for place in places} <= {"served", "waiting"}
        assert await _count_offers(line) > 0


async def _two_looks(line: LineHouse) -> None:
    """What happens when a second usher still believes that the person waits."""
    await line.join("ann", latest=DINNER_AT + WIDE)
    await line.parts.usher.run_once()
    async with line.parts.db.connection() as connection:
        await connection.execute(b"UPDATE line_place SET status = 'waiting'")
        await connection.execute(b"UPDATE line_check SET due_at = '-infinity'")
    await line.parts.usher.run_once()


async def test_one_person_has_one_offer(parts: Parts) -> None:
    line = await open_line(parts, table("A1", 2), table("A2", 2))
    await _two_looks(line)
    assert await _broken_promises(line) == []


async def test_control_without_the_index_one_person_has_two_offers(parts: Parts) -> None:
    line = await open_line(parts, table("A1", 2), table("A2", 2))
    async with parts.db.connection() as connection:
        await connection.execute(b"DROP INDEX offer_live")
    await _two_looks(line)
    assert "somebody has two offers at once" in await _broken_promises(line)


async def test_room_that_opens_while_the_line_is_walked_goes_to_the_first(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = await open_line(parts, table("A1", 2))
    seated = await line.fill()
    for name in ("ann", "ben", "cem"):
        await line.join(name)
    looks: list[int] = []

    async def cancel_after_the_first_look(
        room: floor_room.FloorRoom, place: Any, starts: Sequence[datetime]
    ) -> Sequence[datetime]:
        found = await fitting_starts(room.keeper.capacity, room.restaurant, place.size, starts)
        looks.append(place.place_id)
        if len(looks) == 1:
            await line.cancel(seated)
        return found

    monkeypatch.setattr(floor_room.FloorRoom, "fitting", cancel_after_the_first_look)
    await line.turn()
    assert (line.told(), len(looks)) == ([], 1)
    await line.turn()
    assert line.told() == ["ann"]
    assert await _broken_order(line) == []


async def test_control_the_check_of_the_order_sees_who_jumped_the_line(parts: Parts) -> None:
    line = await open_line(parts, table("A1", 2))
    for name in ("ann", "ben"):
        await line.join(name)
    await line.turn()
    assert await _broken_order(line) == []
    async with parts.db.connection() as connection:
        await connection.execute(b"UPDATE offer SET place_id = place_id + 1")
    assert await _broken_order(line) == ["the order of parties of 2"]


async def test_offers_come_in_the_order_of_the_line(parts: Parts) -> None:
    line = await open_line(parts, table("A1", 2))
    seated = await line.fill()
    for number in range(5):
        await line.join(f"p{number}")
    for number in range(5):
        await line.cancel(seated)
        await line.turn()
        assert line.told()[-1] == f"p{number}"
        offer = await parts.claim.claim(line.token_of(f"p{number}"))
        assert offer.booking_id
        seated = offer.booking_id
