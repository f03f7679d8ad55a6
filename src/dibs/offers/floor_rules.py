"""Which starts of a floor a place may be offered, pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from dibs.offers.model import Waiting

STEP = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class FloorGround:
    """A floor at one moment; `stay` is the longest time for which one party blocks a table."""

    stay: timedelta
    now: datetime

    def starts(self, place: Waiting) -> tuple[datetime, ...]:
        """The quarter hours of the range."""
        count = int((place.latest - place.earliest) / STEP) + 1
        range_ = (place.earliest + number * STEP for number in range(count))
        return tuple(start for start in range_ if start >= self.now and start not in place.refused)

    def competes(self, start: datetime, place: Waiting) -> bool:
        """Whether the two could need a table at the same time."""
        return place.earliest - self.stay < start < place.latest + self.stay
