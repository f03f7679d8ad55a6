"""A product's line while others take and give back at random: never over capacity, nobody skipped, the order kept."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

import pytest

from dibs.app import parts_on
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import Database
from dibs.errors import Conflict, DibsError
from dibs.offers import pool_room, write
from dibs.offers.model import Waiting
from dibs.parts import Parts
from line_harness import SATURDAY, SUNDAY, LinePool, open_pool
from signals_harness import differing, run_sql, tick_now

CAPACITY = 3
PEOPLE = 15
USHERS = 3
ROUNDS = 60
# Whatever writes a date beyond its capacity is written down, however short it lasts.
WATCH = """
CREATE TABLE overbooked (date date, allocated integer);
CREATE FUNCTION write_down() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO overbooked VALUES (NEW.date, NEW.allocated);
    RETURN NULL;
END
$$;
CREATE TRIGGER write_down AFTER UPDATE ON product_date FOR EACH ROW WHEN (NEW.allocated > NEW.capacity)
    EXECUTE FUNCTION write_down();
"""


async def _usher(dsn: str, clock: FakeClock, stop: asyncio.Event) -> None:
    """A worker; one of its passes may meet another's."""
    async with parts_on(dsn, Config(database=Database(pool_size=4)), clock) as own:
        while not stop.is_set():
            await own.claim.lapse_once()
            await own.usher.run_once()
            await asyncio.sleep(0.01)


async def _others(pool: LinePool, number: int, clock: FakeClock, dice: random.Random) -> None:
    """Somebody with the same passes on sale elsewhere; time passes, so that offers lapse."""
    mine: list[tuple[str, date]] = []
    for turn in range(ROUNDS):
        try:
            if mine and dice.random() < 0.55:
                reference, day = mine.pop(dice.randrange(len(mine)))
                await pool.free(reference, day)
            else:
                day = dice.choice((SATURDAY, SUNDAY))
                await pool.take(f"other-{number}-{turn}", dice.choice((1, 2)), day)
                mine.append((f"other-{number}-{turn}", day))
        except Conflict:
            pass
        if dice.random() < 0.1:
            clock.advance(200)
        await asyncio.sleep(0.005)
    for reference, day in mine:
        await pool.free(reference, day)


async def _person(pool: LinePool, place_id: int, dice: random.Random, stop: asyncio.Event) -> None:
    while not stop.is_set():
        place = await pool.parts.line.get(place_id)
        if place.status not in ("waiting", "offered"):
            return
        if place.offer_id and place.status == "offered":
            await _answer(pool, place.offer_id, dice.random())
        await asyncio.sleep(dice.uniform(0.02, 0.1))


async def _answer(pool: LinePool, offer_id: UUID, deed: float) -> None:
    token = pool.claim_token(offer_id)
    try:
        if deed < 0.3:
            await pool.parts.claim.claim(token)
        elif deed < 0.6:
            await pool.parts.claim.decline(token)
    except DibsError:
        pass


async def _play(pool: LinePool, dsn: str, clock: FakeClock, dice: random.Random) -> None:
    places = [(await pool.join(f"p{number}", 1 + number % 3, SATURDAY, SUNDAY)).place_id for number in range(PEOPLE)]
    stop = asyncio.Event()
    working = [asyncio.create_task(_usher(dsn, clock, stop)) for _ in range(USHERS)]
    working += [asyncio.create_task(_person(pool, place_id, dice, stop)) for place_id in places]
    try:
        await asyncio.gather(*(_others(pool, number, clock, dice) for number in range(3)))
    finally:
        stop.set()
        await asyncio.gather(*working)


async def _settle(pool: LinePool, clock: FakeClock) -> None:
    """Leases and offers run out, whoever is offered something takes it, until nobody is offered anything."""
    for _ in range(200):
        clock.advance(61)
        await pool.parts.claim.lapse_once()
        await pool.parts.usher.run_once()
        offered = [place for place in await pool.parts.line.list_places() if place.status == "offered"]
        for place in offered:
            assert place.offer_id
            await _answer(pool, place.offer_id, 0.0)
        if not offered and not await _skipped(pool):
            return


async def _skipped(pool: LinePool) -> list[int]:
    """Who waits although there is what they wait for."""
    rows = await run_sql(
        pool.parts.db,
        "SELECT DISTINCT place_id FROM line_place JOIN product_date USING (product_no) WHERE status = 'waiting' "
        "AND date BETWEEN earliest_date AND latest_date AND capacity - allocated >= quantity "
        "AND start_of_date(date, 'America/New_York') <> ALL (refused)",
    )
    return [row[0] for row in rows]


async def _broken_promises(pool: LinePool) -> list[str]:
    database = pool.parts.db
    wrong = [f"{count} on {day}" for day, count in await run_sql(database, "SELECT * FROM overbooked")]
    kept = {row[0] for row in await run_sql(database, "SELECT offer_id::text FROM offer WHERE status = 'claimed'")}
    if kept != await pool.references():
        wrong.append("what is allocated is not what was claimed")
    twice = "SELECT place_id FROM offer WHERE status IN ('claimed', 'live') GROUP BY 1 HAVING count(*) > 1"
    wrong += [f"place {row[0]} got two" for row in await run_sql(database, twice)]
    return wrong + await _broken_order(pool)


async def _broken_order(pool: LinePool) -> list[str]:
    """Who was offered something for the first time before somebody in front who wanted as much or less of it.

    All ranges are equal. Who declined or let lapse has had their first offer.
    """
    rows = await run_sql(
        pool.parts.db,
        "SELECT quantity, (SELECT min(open_event_id) FROM offer WHERE offer.place_id = place.place_id) "
        "FROM line_place AS place ORDER BY rank, place_id",
    )
    firsts = [(quantity, first or float("inf")) for quantity, first in rows]
    return [
        f"who wants {quantity} came before who wanted {wanted} in front"
        for index, (wanted, front) in enumerate(firsts)
        for quantity, behind in firsts[index + 1 :]
        if wanted <= quantity and behind < front
    ]


@pytest.mark.timeout(240)
async def test_never_over_capacity_and_the_order_is_kept(parts: Parts, dsn: str, clock: FakeClock) -> None:
    pool = await open_pool(parts, CAPACITY)
    await run_sql(parts.db, WATCH)
    await _play(pool, dsn, clock, random.Random(8))
    await _settle(pool, clock)
    assert await _broken_promises(pool) == []
    assert await _skipped(pool) == []
    await tick_now(parts)
    assert await differing(parts.db) == []


async def test_control_without_the_check_of_the_date_it_is_overbooked(parts: Parts) -> None:
    pool = await open_pool(parts, CAPACITY)
    await run_sql(parts.db, WATCH)
    taking = "INSERT INTO allocation (product_no, date, reference, quantity) VALUES (%s, %s, %s, 2)"
    for reference in ("a", "b"):
        await run_sql(parts.db, taking, [pool.product_no, SATURDAY, reference])
    assert f"4 on {SATURDAY}" in await _broken_promises(pool)


async def _free_after_the_first_look(pool: LinePool, monkeypatch: pytest.MonkeyPatch, *, fresh: bool) -> None:
    """Somebody gives back when the first in line was just told that there is nothing."""
    looks: list[int] = []

    async def fitting(room: pool_room.PoolRoom, place: Waiting, starts: Sequence[datetime]) -> Sequence[datetime]:
        looks.append(place.place_id)
        if fresh:
            # The guard that is taken away.
            free = CAPACITY - await pool.allocated()
            room.ground._free.update(dict.fromkeys(starts, free))
        found = [start for start in starts if room.ground.fits(start, place.size)]
        if len(looks) == 1:
            await pool.free("somebody")
        return found

    monkeypatch.setattr(pool_room.PoolRoom, "fitting", fitting)
    if fresh:
        # And the one behind it, which sees that the line was asked for again.
        monkeypatch.setattr(write, "changed_since", _never)


async def _never(*_: Any) -> bool:
    return False


async def _walk(parts: Parts, monkeypatch: pytest.MonkeyPatch, *, fresh: bool) -> LinePool:
    pool = await open_pool(parts, CAPACITY)
    await pool.take("somebody", CAPACITY)
    for name, quantity in (("ann", 1), ("ben", 2), ("cem", 1)):
        await pool.join(name, quantity)
    await _free_after_the_first_look(pool, monkeypatch, fresh=fresh)
    await parts.usher.run_once()
    return pool


async def _offered(parts: Parts) -> list[str]:
    return [place.status for place in await parts.line.list_places()]


async def test_room_that_opens_while_the_line_is_walked_goes_to_the_first(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _walk(parts, monkeypatch, fresh=False)
    assert await _offered(parts) == ["waiting"] * 3
    await parts.usher.run_once()
    assert await _offered(parts) == ["offered", "offered", "waiting"]


async def test_control_without_the_picture_it_goes_to_whoever_is_asked_next(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _walk(parts, monkeypatch, fresh=True)
    assert await _offered(parts) == ["waiting", "offered", "waiting"]


async def test_control_the_check_of_the_order_sees_who_jumped_the_line(parts: Parts) -> None:
    pool = await open_pool(parts, 1)
    for name in ("ann", "ben"):
        await pool.join(name)
    await pool.turn()
    assert await _broken_order(pool) == []
    await run_sql(parts.db, "UPDATE offer SET place_id = place_id + 1")
    assert await _broken_order(pool) == ["who wants 1 came before who wanted 1 in front"]


async def test_one_offer_ends_once_however_many_end_it_at_once(parts: Parts) -> None:
    """Claim, decline and lapse of one offer at once: one of them happens, and the allocation says which."""
    pool = await open_pool(parts, 1)
    await pool.join("ann")
    await pool.turn()
    (place,) = await parts.line.list_places()
    assert place.offer_id
    token = pool.claim_token(place.offer_id)
    offer = (await parts.claim.look(token)).offer
    deeds: list[Any] = [parts.claim.claim(token) for _ in range(4)]
    deeds += [parts.claim.decline(token) for _ in range(4)]
    deeds += [parts.claim.end(offer, "lapsed") for _ in range(4)]
    answers = await asyncio.gather(*deeds, return_exceptions=True)
    assert not [one for one in answers if isinstance(one, BaseException) and not isinstance(one, DibsError)]
    ended = (await parts.claim.look(token)).offer
    assert ended.status in {"claimed", "declined", "lapsed"}
    assert await pool.allocated() == (1 if ended.status == "claimed" else 0)
    assert len(await run_sql(parts.db, "SELECT 1 FROM open_event WHERE status_after = 'Closed'")) == 1
