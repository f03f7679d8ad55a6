"""Fairness: small parties are not blocked by a large one, and it is not starved by them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from capacity_harness import DINNER_AT, table
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import Offers
from dibs.parts import Parts
from line_harness import LineHouse, open_line

TABLES = (table("A1", 2), table("A2", 2))


@pytest.fixture
def config(request: pytest.FixtureRequest) -> Config:
    fair = getattr(request, "param", True)
    return Config(offers=Offers(max_passed=2 if fair else 1_000_000))


async def starve(line: LineHouse, rounds: int) -> list[str]:
    """A party of four waits first; tables for two open one at a time, with a couple behind it each time."""
    await line.join("four", 4, latest=DINNER_AT + timedelta(minutes=60))
    seated = [await line.fill(), await line.fill()]
    for number in range(rounds):
        await line.join(f"two-{number}")
        await line.cancel(seated.pop(0))
        await line.turn()
        if line.told()[-1:] == [f"two-{number}"]:
            offer = await line.parts.claim.claim(line.token_of(f"two-{number}"))
            assert offer.booking_id is not None
            seated.append(offer.booking_id)
        if len(seated) == 0:
            await line.turn()
    return line.told()


async def test_a_large_party_does_not_block_the_small_ones_behind_it(parts: Parts) -> None:
    line = await open_line(parts, *TABLES)
    seated = await line.fill()
    await line.fill()
    await line.join("four", 4)
    await line.join("two")
    await line.cancel(seated)
    await line.turn()
    assert line.told() == ["two"]


async def test_a_large_party_that_was_passed_over_comes_first(parts: Parts) -> None:
    line = await open_line(parts, *TABLES)
    assert (await starve(line, 4))[-1] == "four"


@pytest.mark.parametrize("config", [False], indirect=True)
async def test_control_without_the_rule_the_large_party_is_starved(parts: Parts) -> None:
    line = await open_line(parts, *TABLES)
    assert "four" not in await starve(line, 6)


async def test_coming_first_ends_after_a_while(parts: Parts, clock: FakeClock) -> None:
    line = await open_line(parts, *TABLES)
    seated = [await line.fill(), await line.fill()]
    await line.join("four", 4)
    for name in ("a", "b"):
        await line.join(name)
        await line.cancel(seated.pop(0))
        await line.turn()
        offer = await parts.claim.claim(line.token_of(name))
        assert offer.booking_id is not None
        seated.append(offer.booking_id)
    assert (await parts.line.list_places())[0].comes_first
    await line.join("c")
    await line.cancel(seated.pop(0))
    await line.turn()
    assert line.told() == ["a", "b"]
    clock.advance(1801)
    await line.join("d")
    await line.turn()
    assert line.told() == ["a", "b", "c"]


async def test_other_times_are_not_barred(parts: Parts) -> None:
    line = await open_line(parts, *TABLES)
    seated = [await line.fill(), await line.fill()]
    await line.join("four", 4)
    for name in ("a", "b"):
        await line.join(name)
        await line.cancel(seated.pop(0))
        await line.turn()
        offer = await parts.claim.claim(line.token_of(name))
        assert offer.booking_id is not None
        seated.append(offer.booking_id)
    late = DINNER_AT + timedelta(hours=3)
    await line.join("late", earliest=late, latest=late)
    await line.turn()
    assert line.told() == ["a", "b", "late"]
