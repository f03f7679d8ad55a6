"""Fairness in a product's line: who wants few is not blocked by who wants many, who is not starved by them."""

from __future__ import annotations

import pytest

from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import Offers
from dibs.parts import Parts
from dibs.signals.resize import set_capacity
from line_harness import SATURDAY, SUNDAY, LinePool, open_pool


@pytest.fixture
def config(request: pytest.FixtureRequest) -> Config:
    fair = getattr(request, "param", True)
    return Config(offers=Offers(max_passed=2 if fair else 1_000_000))


async def starve(pool: LinePool, rounds: int) -> list[str]:
    """Somebody wants two passes; one at a time is given back, with somebody behind who wants one each time."""
    await pool.join("two", 2)
    taken = ["a", "b"]
    for number in range(rounds):
        name = f"one-{number}"
        await pool.join(name)
        if taken:
            await pool.free(taken.pop(0))
        await pool.turn()
        if name in pool.told():
            offer = await pool.parts.claim.claim(pool.token_of(name))
            taken.append(offer.reference)
    return pool.told()


async def full(parts: Parts) -> LinePool:
    pool = await open_pool(parts)
    await pool.take("a")
    await pool.take("b")
    return pool


async def test_who_wants_many_does_not_block_those_behind(parts: Parts) -> None:
    pool = await full(parts)
    await pool.join("two", 2)
    await pool.join("one")
    await pool.free("a")
    await pool.turn()
    assert pool.told() == ["one"]


async def test_who_wants_many_and_was_passed_over_comes_first(parts: Parts) -> None:
    pool = await full(parts)
    assert (await starve(pool, 5))[:3] == ["one-0", "one-1", "two"]


@pytest.mark.parametrize("config", [False], indirect=True)
async def test_control_without_the_rule_who_wants_many_is_starved(parts: Parts) -> None:
    pool = await full(parts)
    assert "two" not in await starve(pool, 6)


async def first_in_line(parts: Parts) -> LinePool:
    """`two` comes first, and one of the two passes for Saturday is free."""
    pool = await full(parts)
    await pool.join("two", 2)
    for name, reference in (("x", "a"), ("y", "b")):
        await pool.join(name)
        await pool.free(reference)
        await pool.turn()
        await parts.claim.claim(pool.token_of(name))
    assert (await parts.line.list_places())[0].comes_first
    places = await parts.line.list_places(live=False)
    await pool.free(str(next(place.offer_id for place in places if place.status == "served")))
    return pool


async def test_coming_first_bars_its_dates_and_no_others(parts: Parts) -> None:
    pool = await first_in_line(parts)
    await pool.join("late", 1)
    await pool.join("other", 1, SUNDAY)
    await pool.turn()
    assert pool.told() == ["x", "y", "other"]


async def test_coming_first_ends_by_itself_and_what_it_barred_is_offered(parts: Parts, clock: FakeClock) -> None:
    pool = await first_in_line(parts)
    await pool.join("late")
    await pool.turn()
    assert pool.told() == ["x", "y"]
    for _ in range(7):
        clock.advance(300)
        await pool.turn()
    assert pool.told() == ["x", "y", "late"]


async def test_who_can_never_be_given_so_many_holds_nobody_up(parts: Parts) -> None:
    pool = await first_in_line(parts)
    await set_capacity(parts.db, pool.key, SATURDAY, 1)
    await pool.free(str((await parts.line.list_places(live=False))[1].offer_id))
    for reference in await pool.references():
        await pool.free(reference)
    await pool.join("late")
    await pool.turn()
    assert pool.told() == ["x", "y", "late"]


async def test_declining_is_not_being_passed_over(parts: Parts) -> None:
    pool = await open_pool(parts, 1)
    joined = await pool.join("ann")
    for number in range(3):
        await pool.join(f"p{number}")
    for name in ("ann", "p0", "p1"):
        await pool.turn()
        await parts.claim.decline(pool.token_of(name))
    await pool.turn()
    assert pool.told() == ["ann", "p0", "p1", "p2"]
    assert (await parts.line.get(joined.place_id)).passed == 0
