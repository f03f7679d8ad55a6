"""What is long over is forgotten, in small batches; what somebody may still look at is not."""

from __future__ import annotations

import pytest

from dibs.clock import FakeClock
from dibs.offers import prune
from dibs.parts import Parts
from line_harness import open_line, open_pool
from signals_harness import run_sql

DAY_S = 86_400


async def counts(parts: Parts) -> tuple[int, int, int]:
    """Places, offers and marks."""
    (row,) = await run_sql(
        parts.db,
        "SELECT (SELECT count(*) FROM line_place), (SELECT count(*) FROM offer), (SELECT count(*) FROM line_check)",
    )
    return row


async def test_an_ended_place_goes_with_its_offers_after_its_date_and_its_retention(
    parts: Parts, clock: FakeClock
) -> None:
    pool = await open_pool(parts)
    await pool.join("ann")
    await pool.turn()
    token = pool.token_of("ann")
    await parts.claim.claim(token)
    await pool.turn()
    # 30 days after the claim, and not yet 30 after the date: the page still says what the person has.
    clock.advance(31 * DAY_S)
    await parts.prune_line.run_once()
    assert (await counts(parts))[:2] == (1, 1)
    assert (await parts.claim.look(token)).offer.status == "claimed"
    clock.advance(12 * DAY_S)
    assert await parts.prune_line.run_once() > 0
    assert await counts(parts) == (0, 0, 0)
    assert await pool.allocated() == 1, "what they have is theirs"


async def test_a_place_that_waits_and_its_mark_stay(parts: Parts, clock: FakeClock) -> None:
    line = await open_line(parts)
    await line.fill()
    await line.join("ann")
    await line.turn()
    clock.advance(60 * DAY_S)
    await parts.prune_line.run_once()
    assert await counts(parts) == (1, 0, 1)
    await parts.claim.expire_once()
    await parts.prune_line.run_once()
    assert (await counts(parts))[0] == 1, "it ended only now"
    clock.advance(31 * DAY_S)
    await parts.usher.run_once()
    await parts.prune_line.run_once()
    assert await counts(parts) == (0, 0, 0)


async def test_an_offer_that_nobody_ended_keeps_its_place(parts: Parts, clock: FakeClock) -> None:
    pool = await open_pool(parts)
    await pool.join("ann")
    await pool.turn()
    await run_sql(parts.db, "UPDATE line_place SET status = 'left', ended_at = %s", [clock.now()])
    clock.advance(60 * DAY_S)
    await parts.prune_line.run_once()
    assert (await counts(parts))[:2] == (1, 1)
    await parts.claim.lapse_once()
    await parts.prune_line.run_once()
    assert (await counts(parts))[:2] == (0, 0)
    assert await pool.references() == set()


async def test_it_goes_in_batches(parts: Parts, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prune, "BATCH", 2)
    pool = await open_pool(parts)
    for number in range(5):
        await parts.line.leave((await pool.join(f"p{number}")).place_id)
    clock.advance(60 * DAY_S)
    left: list[int] = []
    while not await parts.prune_line.run_once():
        left.append((await counts(parts))[0])
    assert left == [3, 1]
    assert (await counts(parts))[0] == 0
