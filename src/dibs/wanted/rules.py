"""Which known place is meant, and whether something looks at it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from rapidfuzz import fuzz

from dibs.demand.interpret import is_slip_of
from dibs.places.geo import Bounds, Point, distance_km
from dibs.places.names import key_of
from dibs.wanted.model import Choice, Group, Reason, Verdict, Watching

# Alike enough to be shown to a person ("Lucia" and "Lucia Pizza"), never enough to be taken for the place.
ALIKE = 90.0
MOST_CANDIDATES = 10


def match(names: Sequence[str], groups: Sequence[Group], place: Point | None, within_km: float) -> Verdict:
    """The one place that bears one of the names; without exactly one, those that a person may choose from."""
    keys = {key_of(name) for name in names if name.strip()}
    found = bearing(keys, groups)
    near = [group for group in found if reaches(group.area, place, within_km)]
    if len(near) == 1:
        return Verdict(Reason.MATCHED, near[0], (near[0].candidate,))
    if near:
        return _without(Reason.AMBIGUOUS, near)
    if found:
        return _without(Reason.ELSEWHERE, found)
    alike = [group for group in _alike(keys, groups) if reaches(group.area, place, within_km)]
    return _without(Reason.AMBIGUOUS if alike else Reason.UNKNOWN, alike)


def bearing(keys: Collection[str], groups: Sequence[Group]) -> list[Group]:
    """Those with exactly one of the names; only where there are none, those with a slip of one."""
    named = [(group, {key_of(name) for name in group.names}) for group in groups]
    exact = [group for group, theirs in named if theirs & set(keys)]
    if exact:
        return exact
    return [group for group, theirs in named if any(is_slip_of(key, other) for key in keys for other in theirs)]


def _alike(keys: Collection[str], groups: Sequence[Group]) -> list[Group]:
    scored = [(_likeness(keys, group), group) for group in groups]
    near = [(score, group) for score, group in scored if score >= ALIKE]
    return [group for _, group in sorted(near, key=lambda pair: (-pair[0], pair[1].provider, pair[1].group_key))]


def _likeness(keys: Collection[str], group: Group) -> float:
    theirs = [key_of(name) for name in group.names]
    return max((fuzz.token_set_ratio(key, other) for key in keys for other in theirs), default=0.0)


def _without(reason: Reason, groups: Sequence[Group]) -> Verdict:
    return Verdict(reason, None, tuple(group.candidate for group in groups[:MOST_CANDIDATES]))


def chosen(choice: Choice, groups: Sequence[Group]) -> Group | None:
    """The place a person named, whatever it is called and wherever it is."""
    return next((one for one in groups if (one.provider, one.group_key) == (choice.provider, choice.group_key)), None)


def reaches(area: Bounds | None, place: Point | None, within_km: float) -> bool:
    """Whether a provider that looks at `area` can know a place there; what is not known excludes nothing."""
    if area is None or place is None or area.crosses_antimeridian:
        return True
    nearest = Point(
        min(max(place.lat, area.sw.lat), area.ne.lat),
        min(max(place.lng, area.sw.lng), area.ne.lng),
    )
    return distance_km(nearest, place) <= within_km


def area_of(box: Sequence[float]) -> Bounds:
    """A provider's box: south, west, north, east."""
    south, west, north, east = box
    return Bounds(Point(max(south, north), east), Point(min(south, north), west))


@dataclass(frozen=True, slots=True)
class Cover:
    """What has to be done so that something looks: watches to make, or the one that a person paused."""

    missing: tuple[str, ...] = ()
    paused: str | None = None


def cover(watching: Sequence[Watching], needed: Sequence[str]) -> Cover:
    """Watches that others made are enough; else all of ours are needed, as far as nobody paused them."""
    if any(not one.paused and not one.ours for one in watching):
        return Cover()
    there = {one.watch_key for one in watching}
    missing = tuple(key for key in needed if key not in there)
    looking = missing or any(not one.paused for one in watching)
    return Cover(missing, None if looking else next((one.watch_key for one in watching), ""))


def days_ahead(today: date, count: int) -> list[date]:
    return [today + timedelta(days=offset) for offset in range(count)]
