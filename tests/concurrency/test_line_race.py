"""Twenty in line, three tables that open and close at random, workers cut off: the line's promises hold."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from datetime import timedelta
from uuid import UUID

import pytest

from capacity_harness import DINNER_AT, table
from dibs.app import parts_on
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.db import fetch_all
from dibs.errors import Conflict, DibsError, Gone
from dibs.parts import Parts
from line_harness import LineHouse, open_line

PEOPLE = 20
WIDE = timedelta(hours=3, minutes=45)
PLAY_S = 5.0


async def _worker(dsn: str, config: Config, clock: FakeClock, dice: random.Random, stop: asyncio.Event) -> None:
    """A worker that is cut off at a random moment and replaced, again and again."""
    while not stop.is_set():
        async with parts_on(dsn, config, clock) as own:
            task = asyncio.create_task(_work(own))
            await asyncio.wait({task}, timeout=dice.uniform(0.05, 0.4))
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def _work(own: Parts) -> None:
    while True:
        await own.claim.lapse_once()
        await own.usher.run_once()
        await asyncio.sleep(0.01)


async def _person(line: LineHouse, place_id: int, dice: random.Random, stop: asyncio.Event) -> None:
    """Claims an offer on two devices at once, declines it, or does nothing."""
    while not stop.is_set():
        place = await line.parts.line.get(place_id)
        if place.status in ("served", "left", "expired"):
            return
        if place.status == "offered" and place.offer_id:
            token = line.claim_token(place.offer_id)
            deed = dice.random()
            try:
                if deed < 0.4:
                    await asyncio.gather(*(line.parts.claim.claim(token) for _ in range(2)))
                elif deed < 0.5:
                    await line.parts.claim.decline(token)
            except (Gone, Conflict):
                pass
        await asyncio.sleep(dice.uniform(0.05, 0.2))


async def _shuffle(line: LineHouse, dice: random.Random, clock: FakeClock, stop: asyncio.Event) -> None:
    """Tables are taken and given back; time passes, so that some offers lapse."""
    seated: list[UUID] = []
    while not stop.is_set():
        try:
            if seated and dice.random() < 0.6:
                await line.cancel(seated.pop(dice.randrange(len(seated))))
            else:
                seated.append(await line.fill(2, DINNER_AT + dice.randrange(12) * timedelta(minutes=15)))
        except (AssertionError, DibsError):
            pass
        if dice.random() < 0.3:
            clock.advance(40)
        await asyncio.sleep(0.03)
    for booking_id in seated:
        await line.cancel(booking_id)


async def _play(line: LineHouse, dsn: str, clock: FakeClock, seed: int) -> None:
    dice = random.Random(seed)
    joined = [await line.join(f"p{number}", latest=DINNER_AT + WIDE) for number in range(PEOPLE)]
    stop = asyncio.Event()
    tasks = [asyncio.create_task(_worker(dsn, line.parts.config, clock, dice, stop)) for _ in range(2)]
    tasks += [asyncio.create_task(_person(line, one.place_id, dice, stop)) for one in joined]
    tasks += [asyncio.create_task(_shuffle(line, dice, clock, stop))]
    # How long chaos reigns, not what is waited for: afterwards everything is settled and looked at.
    await asyncio.sleep(PLAY_S)
    stop.set()
    await asyncio.gather(*tasks)


async def _settle_all(line: LineHouse, clock: FakeClock) -> None:
    """Everything calms down: leases run out, whoever is offered something takes it."""
    for _ in range(40):
        clock.advance(61)
        await line.parts.claim.lapse_once()
        await line.parts.usher.run_once()
        offered = [place for place in await line.parts.line.list_places() if place.status == "offered"]
        for place in offered:
            assert place.offer_id
            await line.parts.claim.claim(line.claim_token(place.offer_id))
        if not offered:
            return


async def _broken_promises(line: LineHouse) -> list[str]:
    """What a look at the tables says went wrong, without asking the guards."""
    wrong: list[str] = []
    async with line.parts.db.connection() as connection:
        overlaps = await fetch_all(
            connection,
            b"SELECT one.table_id FROM allocations one JOIN allocations other ON one.table_id = other.table_id"
            b" AND one.allocation_id < other.allocation_id AND one.blocked && other.blocked",
        )
        claimed = await fetch_all(connection, b"SELECT place_id, booking_id FROM offer WHERE status = 'claimed'")
        live = await fetch_all(
            connection, b"SELECT place_id FROM offer WHERE status = 'live' GROUP BY place_id HAVING count(*) > 1"
        )
    if overlaps:
        wrong.append("a table was given twice")
    if any(count > 1 for count in Counter(row["place_id"] for row in claimed).values()):
        wrong.append("somebody got two")
    if len({row["booking_id"] for row in claimed}) != len(claimed):
        wrong.append("one booking for two people")
    if live:
        wrong.append("somebody has two offers at once")
    return wrong


@pytest.mark.timeout(240)
async def test_nobody_gets_two_and_nobody_is_skipped(parts: Parts, dsn: str, clock: FakeClock) -> None:
    line = await open_line(parts, table("A1", 2), table("A2", 2), table("A3", 2))
    await _play(line, dsn, clock, seed=11)
    await _settle_all(line, clock)
    assert await _broken_promises(line) == []
    places = await parts.line.list_places(live=False, limit=500)
    assert len(places) == PEOPLE
    for place in places:
        assert place.status in ("served", "left", "waiting"), place
        assert place.status != "left" or place.reason == "max_lapses"
    # Nobody is skipped: another look finds nothing for those who still wait.
    waiting = [place.place_id for place in places if place.status == "waiting"]
    await parts.usher.run_once()
    assert [place.place_id for place in await parts.line.list_places() if place.status == "waiting"] == waiting


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
