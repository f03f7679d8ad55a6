"""The order of the line, pure: who may be offered which starts, who was passed over, who comes first.

A start is a moment on a floor and the first moment of a date of a pool; what else differs, a `Ground` knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol

from dibs.offers.model import Settings, Waiting

EndReason = Literal["kept", "max_lapses"]


class Ground(Protocol):
    """What room a line is about, at one moment."""

    def starts(self, place: Waiting) -> tuple[datetime, ...]:
        """What the person waits for that is still ahead and was not turned down, best first."""
        ...

    def competes(self, start: datetime, place: Waiting) -> bool:
        """Whether who gets `start` may take what `place` waits for."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """A place whose turn it is, and the starts it may be offered, best first."""

    place: Waiting
    starts: tuple[datetime, ...]
    barred: bool


def comes_first(place: Waiting, settings: Settings, now: datetime) -> bool:
    """Whether this place was passed over so often that the others wait for it now, and not for too long."""
    if place.passed < settings.max_passed or place.first_since is None:
        return False
    return now < first_until(place.first_since, settings)


def first_until(since: datetime, settings: Settings) -> datetime:
    return since + timedelta(seconds=settings.first_for_s)


def turns(line: Sequence[Waiting], ground: Ground, settings: Settings, now: datetime) -> list[Turn]:
    """Everybody in order with what they may be offered: nothing that a place in front which comes first could need."""
    firsts: list[Waiting] = []
    found: list[Turn] = []
    for place in line:
        starts = ground.starts(place)
        allowed = tuple(start for start in starts if not any(ground.competes(start, first) for first in firsts))
        found.append(Turn(place, allowed, barred=len(allowed) < len(starts)))
        if comes_first(place, settings, now):
            firsts.append(place)
    return found


def passed_over(line: Sequence[Waiting], served: dict[int, datetime], ground: Ground) -> list[int]:
    """Who stood in front of somebody who was just served a start that they waited for too, and got nothing."""
    found: list[int] = []
    behind: list[datetime] = []
    for place in reversed(line):
        if place.place_id in served:
            behind.append(served[place.place_id])
        elif any(ground.competes(start, place) for start in behind):
            found.append(place.place_id)
    return found[::-1]


def after_lapse(lapses: int, settings: Settings) -> EndReason:
    """Whether a person who let an offer lapse keeps their place."""
    return "max_lapses" if lapses + 1 >= settings.max_lapses else "kept"


def look_again_at(line: Sequence[Waiting], settings: Settings, now: datetime) -> datetime | None:
    """When a line wants to be looked at again although nothing changed; never when nobody is left in it.

    Whoever comes first stops doing so by the passing of time alone, and what they barred is free for the others.
    """
    if not line:
        return None
    ends = [first_until(place.first_since, settings) for place in line if place.first_since]
    return min([now + timedelta(seconds=settings.look_again_s), *(end for end in ends if end > now)])
