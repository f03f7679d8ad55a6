"""The only clock. Time is an argument everywhere else, through SQL too."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the time to everything that asks."""

    def now(self) -> datetime:
        """The current moment, aware, in UTC."""
        ...

    def for_database(self) -> datetime | None:
        """The moment to hand to a statement; None lets the database use its own clock.

        Leases and due times are compared by one clock, the database's, so that hosts whose clocks differ
        agree on who holds what. A fake clock is handed through instead.
        """
        ...


class SystemClock:
    """The host's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def for_database(self) -> datetime | None:
        return None


class FakeClock:
    """A clock that stands still until it is moved."""

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)

    def now(self) -> datetime:
        return self._now

    def for_database(self) -> datetime | None:
        return self._now

    def advance(self, seconds: float) -> datetime:
        self._now += timedelta(seconds=seconds)
        return self._now

    def set(self, moment: datetime) -> None:
        self._now = moment.astimezone(UTC)
