"""Products and their dates: seeding, extending, shrinking, resizing; what is allocated is never touched."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dibs.clock import FakeClock
from dibs.db import Database
from dibs.parts import Parts
from dibs.signals.allocate import allocate
from dibs.signals.model import ProductKey, Tier
from dibs.signals.read import list_dates
from dibs.signals.resize import set_capacity
from signals_harness import (
    DAY,
    FIRST,
    KEY,
    LAST,
    TIERS,
    differing,
    expected_tier,
    plan,
    put,
    run_sql,
    signal_of,
    tick_now,
)


async def take(parts: Parts, quantity: int, day: date = DAY, reference: str = "r1") -> None:
    await allocate(parts.db, parts.clock, KEY, day, reference=reference, quantity=quantity)


async def dates_of(db: Database) -> list[date]:
    return [row[0] for row in await run_sql(db, "SELECT date FROM product_date ORDER BY date")]


async def test_a_new_product_has_a_clean_estimated_signal_for_every_date(parts: Parts) -> None:
    await put(parts, plan("tiered"))
    answers = await list_dates(parts.db, parts.clock, KEY, FIRST, LAST, limit=100)
    assert [answer.date for answer in answers] == [FIRST + timedelta(days=number) for number in range(10)]
    assert {(answer.value, answer.tier, answer.available, answer.state, answer.version) for answer in answers} == {
        ("high", "high", 10, "clean", 1)
    }
    assert {answer.last_updated_at for answer in answers} == {parts.clock.now()}


async def test_the_same_product_again_changes_nothing(parts: Parts) -> None:
    await put(parts)
    await take(parts, 3)
    before = await signal_of(parts.db)
    await put(parts)
    assert await signal_of(parts.db) == before
    assert await dates_of(parts.db) == [FIRST + timedelta(days=number) for number in range(10)]


async def test_a_longer_range_seeds_only_what_is_missing(parts: Parts) -> None:
    await put(parts)
    await take(parts, 3)
    before = await signal_of(parts.db)
    await put(parts, plan(first=FIRST - timedelta(days=2), last=LAST + timedelta(days=3)))
    assert len(await dates_of(parts.db)) == 15
    assert await signal_of(parts.db) == before
    assert (await signal_of(parts.db, LAST + timedelta(days=3)))["dirty"] is False


async def test_a_shorter_range_keeps_dates_on_which_something_is_allocated(parts: Parts) -> None:
    await put(parts)
    await take(parts, 3, LAST)
    await put(parts, plan(last=DAY))
    assert await dates_of(parts.db) == [FIRST, FIRST + timedelta(days=1), DAY, LAST]
    assert (await signal_of(parts.db, LAST))["dirty"] is True
    await tick_now(parts)
    withdrawn = await signal_of(parts.db, LAST)
    assert (withdrawn["available"], withdrawn["reason"]) == (0, "out_of_range")
    assert await run_sql(parts.db, "SELECT allocated FROM product_date WHERE date = %s", [LAST]) == [(3,)]


async def test_a_range_that_comes_back_finds_its_allocations(parts: Parts) -> None:
    await put(parts)
    await take(parts, 3, LAST)
    await put(parts, plan(last=DAY))
    await tick_now(parts)
    await put(parts)
    await tick_now(parts)
    assert (await signal_of(parts.db, LAST))["available"] == 7
    assert await differing(parts.db) == []


async def test_a_new_capacity_reaches_every_date_but_those_with_their_own(parts: Parts) -> None:
    await put(parts)
    await set_capacity(parts.db, KEY, DAY, 4)
    await put(parts, plan(capacity=20))
    await tick_now(parts)
    answers = await list_dates(parts.db, parts.clock, KEY, FIRST, LAST, limit=100)
    assert {answer.date: answer.capacity for answer in answers if answer.capacity != 20} == {DAY: 4}
    await set_capacity(parts.db, KEY, DAY, None)
    await tick_now(parts)
    assert (await signal_of(parts.db))["capacity"] == 20


@pytest.mark.parametrize("mode", ["exact", "tiered"])
async def test_capacity_below_what_is_allocated_is_zero_with_a_reason(parts: Parts, mode: str) -> None:
    await put(parts, plan(mode))
    await take(parts, 6)
    await put(parts, plan(mode, capacity=4))
    await tick_now(parts)
    (answer,) = await list_dates(parts.db, parts.clock, KEY, DAY, DAY, limit=1)
    assert (answer.value, answer.available, answer.capacity) == (0 if mode == "exact" else "full", 0, 4)
    assert answer.reason == "over_allocated"


@pytest.mark.parametrize(("mode", "value"), [("exact", 0), ("tiered", "full")])
async def test_capacity_zero_is_the_lowest_tier(parts: Parts, mode: str, value: int | str) -> None:
    await put(parts, plan(mode, capacity=0))
    (answer,) = await list_dates(parts.db, parts.clock, KEY, DAY, DAY, limit=1)
    assert (answer.value, answer.reason) == (value, "no_capacity")


async def test_sold_out_says_so(parts: Parts) -> None:
    await put(parts)
    await take(parts, 10)
    await tick_now(parts)
    assert (await signal_of(parts.db))["reason"] == "sold_out"


async def test_a_new_pattern_is_estimated_at_the_next_tick(parts: Parts) -> None:
    await put(parts)
    await put(parts, plan("tiered"))
    assert (await signal_of(parts.db))["dirty"] is True
    done = await tick_now(parts)
    assert (done.checked, done.changed) == (10, 10)
    assert (await signal_of(parts.db))["tier"] == "high"


async def test_a_new_cadence_takes_the_signals_along(parts: Parts) -> None:
    await put(parts)
    await take(parts, 1)
    await put(parts, plan(cadence="1min"))
    assert (await tick_now(parts, "5min")).checked == 0
    assert (await tick_now(parts, "1min")).checked == 1


SHARES = st.integers(min_value=0, max_value=1000).map(lambda number: number / 1000)


@settings(max_examples=150)
@given(
    bounds=st.sets(SHARES, min_size=1, max_size=6),
    capacity=st.integers(min_value=0, max_value=1000),
    share=SHARES,
)
async def test_tiers_are_chosen_as_the_rule_says(parts: Parts, bounds: set[float], capacity: int, share: float) -> None:
    tiers = [Tier(id=f"t{bound}", max_percentage=bound) for bound in sorted(bounds)]
    available = round(share * capacity)
    downwards = list(reversed(tiers))
    values = [[tier.id for tier in downwards], [-tier.max_percentage for tier in downwards], available, capacity]
    ((found,),) = await run_sql(parts.db, "SELECT tier_of(%s, %s, %s, %s)", values)
    assert found == expected_tier(tiers, available, capacity)


BOUNDS = [
    (0, 100, "full"),
    (1, 100, "low"),
    (25, 100, "low"),
    (26, 100, "medium"),
    (75, 100, "medium"),
    (76, 100, "high"),
    (100, 100, "high"),
    (1, 4, "low"),
    (3, 4, "medium"),
    (1, 1, "high"),
    (0, 0, "full"),
]


async def test_a_bound_belongs_to_its_tier(parts: Parts) -> None:
    downwards = list(reversed(TIERS))
    ids, cuts = [one.id for one in downwards], [-one.max_percentage for one in downwards]
    for available, capacity, tier in BOUNDS:
        found = await run_sql(parts.db, "SELECT tier_of(%s, %s, %s, %s)", [ids, cuts, available, capacity])
        assert found == [(tier,)], (available, capacity)


async def test_every_tenth_is_an_exact_bound(parts: Parts) -> None:
    """Shares that binary fractions cannot write are still met exactly at their bound."""
    tiers = [Tier(id=str(number), max_percentage=number / 10) for number in range(11)]
    downwards = list(reversed(tiers))
    ids, cuts = [one.id for one in downwards], [-one.max_percentage for one in downwards]
    for capacity in (10, 30, 70, 110, 990):
        for number in range(11):
            values = [ids, cuts, capacity * number // 10, capacity]
            assert await run_sql(parts.db, "SELECT tier_of(%s, %s, %s, %s)", values) == [(str(number),)]


START = datetime(2026, 3, 2, 12, tzinfo=UTC)
ZONES = [
    "America/New_York",
    "Europe/Tallinn",
    "America/Havana",  # midnight comes twice in autumn, and is skipped in spring
    "Asia/Beirut",  # the clock goes back at midnight
    "Australia/Lord_Howe",  # half an hour
    "Pacific/Kiritimati",
    "Africa/Cairo",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "UTC",
]


async def test_a_date_starts_when_its_zone_says(parts: Parts) -> None:
    """Every date of two years, with their changes of the clock: the first moment of the day, and of no other."""
    rows = await run_sql(
        parts.db,
        "SELECT zone, day::date, start_of_date(day::date, zone) FROM unnest(%s::text[]) AS zone, "
        "generate_series('2024-01-01'::timestamp, '2025-12-31', interval '1 day') AS day",
        [ZONES],
    )
    assert len(rows) == 731 * len(ZONES)
    for zone, day, start in rows:
        local = ZoneInfo(zone)
        assert start.astimezone(local).date() == day, zone
        assert (start - timedelta(seconds=1)).astimezone(local).date() == day - timedelta(days=1), zone


ENDS = [
    ("America/New_York", date(2026, 3, 7), datetime(2026, 3, 8, 5, tzinfo=UTC)),
    ("America/New_York", date(2026, 3, 8), datetime(2026, 3, 9, 4, tzinfo=UTC)),
    ("America/New_York", date(2026, 10, 31), datetime(2026, 11, 1, 4, tzinfo=UTC)),
    ("America/New_York", date(2026, 11, 1), datetime(2026, 11, 2, 5, tzinfo=UTC)),
    ("America/Havana", date(2026, 10, 31), datetime(2026, 11, 1, 4, tzinfo=UTC)),
    ("Pacific/Kiritimati", date(2026, 3, 8), datetime(2026, 3, 8, 10, tzinfo=UTC)),
]


async def test_a_signal_expires_at_the_end_of_its_date_in_its_zone(parts: Parts, clock: FakeClock) -> None:
    for number, (zone, day, expiry) in enumerate(ENDS):
        key = ProductKey("parks", "camping", "lake", f"site-{number}")
        clock.set(START)
        await put(parts, plan(first=day, last=day, timezone=zone), key)
        clock.set(expiry - timedelta(seconds=1))
        assert len(await list_dates(parts.db, clock, key, day, day, limit=1)) == 1, zone
        clock.set(expiry)
        assert await list_dates(parts.db, clock, key, day, day, limit=1) == [], zone


async def test_a_new_zone_moves_the_expiry(parts: Parts) -> None:
    await put(parts)
    await put(parts, plan(timezone="UTC"))
    assert (await signal_of(parts.db))["expiry"] == datetime(2026, 3, 13, tzinfo=UTC)
