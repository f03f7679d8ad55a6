"""Own inventory on a real floor, and told to real subscribers: every stage between a booking and a notice."""

from __future__ import annotations

from datetime import date, timedelta

from capacity_harness import House, open_house
from dibs.capacity import assign_tables, cancel_booking, confirm_hold, hold_tables, release_hold, unassign_tables
from dibs.capacity.sweep import Sweeper
from dibs.clock import FakeClock
from dibs.parts import Parts
from dibs.signals.allocate import allocate
from dibs.signals.audit import audit
from dibs.signals.model import Floor
from dibs.signals.release import release
from notify_harness import rig
from signals_harness import DAY, KEY, differing, plan, put, signal_of, tick_now

# The day of the fake clock, and of the dinner.
TODAY = date(2026, 3, 2)


async def standing(parts: Parts, measure: str = "tables") -> House:
    """A product on the floor of five active tables (14 covers), already ticked once."""
    house = await open_house(parts)
    floor = Floor(restaurant=house.slug, measure="covers" if measure == "covers" else "tables")
    await put(parts, plan(capacity=0, first=TODAY, last=TODAY + timedelta(days=3), timezone="UTC", floor=floor))
    await tick_now(parts)
    return house


async def after_a_tick(parts: Parts, *, dirty: bool = True) -> int:
    """What is cached after a tick that found the date dirty (or not); cache and truth agree."""
    done = await tick_now(parts)
    assert done.checked == (1 if dirty else 0), done
    assert await differing(parts.db) == []
    return (await signal_of(parts.db, TODAY))["available"]


async def test_every_change_of_a_floor_reaches_the_cache(parts: Parts, clock: FakeClock) -> None:
    house = await standing(parts)
    assert (await signal_of(parts.db, TODAY))["available"] == 5
    capacity = parts.capacity

    held = await hold_tables(capacity, house.asks(2), house.ids("A1"), held_by="t")
    assert await after_a_tick(parts) == 4, "a hold takes its table"
    await release_hold(capacity, held.hold_id)
    assert await after_a_tick(parts) == 5, "a released hold gives it back"

    held = await hold_tables(capacity, house.asks(2), house.ids("A1"), held_by="t")
    confirmed = await confirm_hold(capacity, held.hold_id, idempotency_key="k1")
    assert await after_a_tick(parts) == 4, "a booking keeps what its hold took"
    await cancel_booking(capacity, confirmed.booking_id)
    assert await after_a_tick(parts) == 5, "a cancelled one gives it back"

    booking = await house.booking(4)
    await assign_tables(capacity, booking.booking_id, house.ids("A1", "A2"), idempotency_key="k2")
    assert await after_a_tick(parts) == 3, "an assignment takes all its tables"
    await unassign_tables(capacity, booking.booking_id)
    assert await after_a_tick(parts) == 5

    await hold_tables(capacity, house.asks(2), house.ids("A4"), held_by="t")
    assert await after_a_tick(parts) == 4
    clock.advance(3600)
    await Sweeper(capacity, parts.worker).sweep()
    assert await after_a_tick(parts) == 5, "a hold that ran out gives it back when it is swept"
    compared, drifts = await audit(parts.db, parts.clock)
    assert (compared, drifts) == (4, [])


async def test_covers_count_the_seats_of_free_tables(parts: Parts) -> None:
    house = await standing(parts, "covers")
    assert (await signal_of(parts.db, TODAY))["capacity"] == 16
    await hold_tables(parts.capacity, house.asks(4), house.ids("A4"), held_by="t")
    assert await after_a_tick(parts) == 12


async def test_own_inventory_is_told_to_subscribers_like_any_other(parts: Parts) -> None:
    it = rig(parts)
    topics = [f"slot:{KEY}:{DAY}", f"group:{KEY}", str(KEY), f"group:signals:{KEY}", "watch:cadence:5min"]
    for topic in topics:
        await it.subscribe(f"https://a.example/{topic}", topic)
    await it.subscribe("https://other.example/", f"slot:{KEY}:{DAY + timedelta(days=1)}")
    await put(parts)
    await allocate(parts.db, parts.clock, KEY, DAY, reference="all", quantity=10)
    await tick_now(parts)
    await it.tell()
    assert it.channel.sent == [], "neither seeding nor a close is told"
    await release(parts.db, parts.clock, KEY, DAY, reference="all")
    await tick_now(parts)
    await it.tell()
    assert sorted(message.topic for message in it.channel.sent) == sorted(topics)
    await tick_now(parts)
    assert await it.tell() == 0
