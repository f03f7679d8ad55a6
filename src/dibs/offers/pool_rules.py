"""Which dates of a pool a place may be offered, and what is left of them, pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from dibs.offers.model import Waiting


@dataclass(frozen=True, slots=True)
class PoolDay:
    """A date of a product that is not over."""

    date: date
    starts_at: datetime
    ends_at: datetime
    capacity: int
    free: int


class PoolGround:
    """The dates of a pool as they were at one moment.

    What is given out is taken from that picture and nothing is added to it: room that opens while the line is walked
    through is left to the next look, or it would go to whoever happens to be asked then and not to the first.
    """

    def __init__(self, days: Iterable[PoolDay]) -> None:
        self._days = {day.starts_at: day for day in days}
        self._free = {start: day.free for start, day in self._days.items()}
        self._starts: dict[int, tuple[datetime, ...]] = {}

    def day(self, start: datetime) -> PoolDay:
        return self._days[start]

    def starts(self, place: Waiting) -> tuple[datetime, ...]:
        """The dates of the range on which so many could be had at all."""
        if place.place_id not in self._starts:
            self._starts[place.place_id] = tuple(start for start in self._days if self._suits(start, place))
        return self._starts[place.place_id]

    def _suits(self, start: datetime, place: Waiting) -> bool:
        day = self._days[start]
        if place.earliest_date is None or place.latest_date is None:
            return False
        in_range = place.earliest_date <= day.date <= place.latest_date
        return in_range and day.capacity >= place.size and start not in place.refused

    def competes(self, start: datetime, place: Waiting) -> bool:
        return start in self.starts(place)

    def fits(self, start: datetime, quantity: int) -> bool:
        return self._free[start] >= quantity

    def take(self, start: datetime, quantity: int) -> None:
        self._free[start] -= quantity

    def seen(self, start: datetime, free: int) -> None:
        """Somebody else took from it meanwhile."""
        self._free[start] = min(self._free[start], free)
