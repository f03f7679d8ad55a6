"""The order of the line, pure: who may be offered which starts, who was passed over, who comes first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from dibs.offers.model import Settings, Waiting

STEP = timedelta(minutes=15)
# Nobody can walk in sooner than this after reading the notice.
LEAD = timedelta(0)

EndReason = Literal["kept", "max_lapses"]


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
    return now < place.first_since + timedelta(seconds=settings.first_for_s)


def starts_of(place: Waiting, now: datetime) -> tuple[datetime, ...]:
    """The quarter hours the person waits for that are still ahead and were not turned down."""
    found: list[datetime] = []
    start = place.earliest
    while start <= place.latest:
        if start >= now + LEAD and start not in place.refused:
            found.append(start)
        start += STEP
    return tuple(found)


def turns(line: Sequence[Waiting], settings: Settings, now: datetime, stay: timedelta) -> list[Turn]:
    """Everybody in order with what they may be offered.

    `stay` is the longest time a table is blocked by one party: a start is barred to those behind a place that comes
    first when the two could need a table at the same time.
    """
    reserved: list[tuple[datetime, datetime]] = []
    found: list[Turn] = []
    for place in line:
        starts = starts_of(place, now)
        allowed = tuple(start for start in starts if not _reserved(start, reserved))
        found.append(Turn(place, allowed, barred=len(allowed) < len(starts)))
        if comes_first(place, settings, now):
            reserved.append((place.earliest - stay, place.latest + stay))
    return found


def _reserved(start: datetime, reserved: Iterable[tuple[datetime, datetime]]) -> bool:
    return any(since < start < until for since, until in reserved)


def passed_over(line: Sequence[Waiting], served: dict[int, datetime], stay: timedelta) -> list[int]:
    """Who stood in front of somebody who was just served a start that they waited for too, and got nothing."""
    found: list[int] = []
    for index, place in enumerate(line):
        if place.place_id in served:
            continue
        behind = [served[other.place_id] for other in line[index + 1 :] if other.place_id in served]
        if any(place.earliest - stay < start < place.latest + stay for start in behind):
            found.append(place.place_id)
    return found


def after_lapse(lapses: int, settings: Settings) -> EndReason:
    """Whether a person who let an offer lapse keeps their place."""
    return "max_lapses" if lapses + 1 >= settings.max_lapses else "kept"
