"""Which of many starts a party fits at: one reading of the day for all of them. The line asks this."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from dibs.capacity import floor_store
from dibs.capacity.context import Capacity
from dibs.capacity.model import MAX_PARTY, Floor, Wanted, Window
from dibs.capacity.quote import day_of
from dibs.capacity.select import fits
from dibs.capacity.windows import period_of, sitting, turn_minutes


async def fitting_starts(
    capacity: Capacity, restaurant: str, party_size: int, starts: Sequence[datetime]
) -> list[datetime]:
    """Those of `starts`, in their order, that lie in service and at which some set of tables is free now."""
    ground = await capacity.ground(restaurant)
    floor = ground.floor
    sittings = {
        start: sitting(floor.policy, floor.timezone, party_size, start)
        for start in starts
        if period_of(floor.service_periods, start, floor.timezone)
    }
    wanted = Wanted(party_size, floor.policy.max_tables)
    if not sittings or not fits(ground.index, wanted, 0):
        return []
    blocked = [one.blocked for one in sittings.values()]
    window = Window(min(one.start_at for one in blocked), max(one.end_at for one in blocked))
    async with capacity.db.connection() as connection:
        _, claims = await floor_store.read_day(
            connection, restaurant_id=floor.restaurant_id, window=window, now=capacity.clock.for_database()
        )
    day = day_of(ground, claims)
    return [start for start, one in sittings.items() if fits(ground.index, wanted, day.taken(one.blocked))]


def longest_stay(floor: Floor) -> timedelta:
    """How long the largest party blocks a table."""
    policy = floor.policy
    return timedelta(minutes=policy.buffer_before_min + turn_minutes(policy, MAX_PARTY) + policy.buffer_after_min)
