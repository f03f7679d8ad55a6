"""A wish for a table: the restaurant, the size of the party and the range of starts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from dibs.capacity import Capacity
from dibs.capacity.model import MAX_PARTY, Floor, Wanted
from dibs.capacity.select import fits
from dibs.capacity.windows import local_start, period_of, service_date
from dibs.errors import Invalid
from dibs.offers.floor_rules import STEP
from dibs.offers.wish import Asked, Wish

LONGEST_RANGE = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class FloorWishes:
    """Reads them."""

    capacity: Capacity

    async def read(self, wish: Wish, now: datetime) -> Asked:
        """What the wish comes to; refuses one that could never be granted."""
        ground = await self.capacity.ground(wish.restaurant or "")
        if wish.party_size is None or not 1 <= wish.party_size <= MAX_PARTY:
            raise Invalid(f"party_size must be from 1 to {MAX_PARTY}.", field="party_size")
        if not fits(ground.index, Wanted(wish.party_size, ground.floor.policy.max_tables), 0):
            raise Invalid(
                "No set of tables here seats so many, even on an empty floor; ask for fewer guests.",
                code="insufficient_capacity",
            )
        floor = ground.floor
        earliest, latest = _range(floor, wish, now)
        day = service_date(earliest, floor.timezone)
        return Asked(
            line_key=f"{floor.restaurant_id}:{day.isoformat()}",
            restaurant_id=floor.restaurant_id,
            service_date=day,
            party_size=wish.party_size,
            earliest=earliest,
            latest=latest,
            until=latest,
        )


def _range(floor: Floor, wish: Wish, now: datetime) -> tuple[datetime, datetime]:
    earliest, latest = _instants(floor, wish)
    if latest < earliest:
        raise Invalid("latest lies before earliest; send the range the other way round.")
    if latest - earliest > LONGEST_RANGE:
        raise Invalid("The range is longer than 12 hours; wait for one day at a time.")
    if latest <= now:
        raise Invalid("The range lies in the past; choose a later one.", code="invalid_start")
    earliest = _next_quarter(earliest)
    starts = [earliest + step * STEP for step in range(int((latest - earliest) / STEP) + 1)]
    if not any(period_of(floor.service_periods, start, floor.timezone) for start in starts):
        raise Invalid("No start in this range lies in a service period.", code="no_service")
    return earliest, max(latest, earliest)


def _instants(floor: Floor, wish: Wish) -> tuple[datetime, datetime]:
    if wish.earliest and wish.latest:
        if wish.earliest.tzinfo is None or wish.latest.tzinfo is None:
            raise Invalid("earliest and latest need an offset, like 2026-03-02T18:00:00Z.")
        return wish.earliest, wish.latest
    if wish.date and wish.time_from and wish.time_to:
        return (
            local_start(wish.date, wish.time_from, floor.timezone),
            local_start(wish.date, wish.time_to, floor.timezone),
        )
    raise Invalid("Send earliest and latest, or date with time_from and time_to in the restaurant's time zone.")


def _next_quarter(moment: datetime) -> datetime:
    over = timedelta(minutes=moment.minute % 15, seconds=moment.second, microseconds=moment.microsecond)
    return moment if not over else moment - over + STEP
