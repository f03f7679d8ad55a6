"""Points and viewports on a round earth. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import asin, cos, isfinite, radians, sin, sqrt

from dibs.errors import Invalid

EARTH_RADIUS_KM = 6371.0088
KM_PER_MILE = 1.609344


@dataclass(frozen=True, slots=True)
class Point:
    """A place on earth, in degrees."""

    lat: float
    lng: float


@dataclass(frozen=True, slots=True)
class Bounds:
    """A viewport. `ne.lng` west of `sw.lng` means that it crosses the antimeridian."""

    ne: Point
    sw: Point

    @property
    def crosses_antimeridian(self) -> bool:
        return self.ne.lng < self.sw.lng


def check_point(point: Point, field: str) -> Point:
    """Refuses what is not on earth."""
    for name, value, limit in (("lat", point.lat, 90), ("lng", point.lng, 180)):
        if not isfinite(value) or abs(value) > limit:
            raise Invalid(f"{field}.{name} must lie between -{limit} and {limit}", field=f"{field}.{name}")
    return point


def check_bounds(bounds: Bounds, field: str = "bounds") -> Bounds:
    """Refuses corners that are not on earth, and a viewport that stands on its head or is inside out.

    A viewport over the antimeridian is fine. One that would have to be wider than half the earth to cross it
    is taken for swapped corners.
    """
    check_point(bounds.ne, f"{field}.ne")
    check_point(bounds.sw, f"{field}.sw")
    if bounds.ne.lat < bounds.sw.lat:
        raise Invalid(f"{field}.ne.lat must not be south of {field}.sw.lat: are the corners swapped?", field=field)
    if bounds.crosses_antimeridian and span_degrees(bounds) > 180:
        raise Invalid(f"{field}.ne.lng must not be west of {field}.sw.lng: are the corners swapped?", field=field)
    return bounds


def span_degrees(bounds: Bounds) -> float:
    """How many degrees of longitude the viewport covers, left to right."""
    span = bounds.ne.lng - bounds.sw.lng
    return span + 360 if span < 0 else span


def centre(bounds: Bounds) -> Point:
    """The middle of the viewport."""
    lng = bounds.sw.lng + span_degrees(bounds) / 2
    return Point((bounds.ne.lat + bounds.sw.lat) / 2, lng - 360 if lng > 180 else lng)


def viewport_miles(bounds: Bounds) -> float:
    """The width, left to right, at the latitude of the centre."""
    km_per_degree = radians(1) * EARTH_RADIUS_KM * cos(radians(centre(bounds).lat))
    return max(0.0, span_degrees(bounds) * km_per_degree / KM_PER_MILE)


def contains(bounds: Bounds, point: Point) -> bool:
    """Whether the viewport shows the point; edges belong to it."""
    if not bounds.sw.lat <= point.lat <= bounds.ne.lat:
        return False
    if bounds.crosses_antimeridian:
        return point.lng >= bounds.sw.lng or point.lng <= bounds.ne.lng
    return bounds.sw.lng <= point.lng <= bounds.ne.lng


def distance_km(a: Point, b: Point) -> float:
    """Along the surface (haversine)."""
    half_lat = radians(b.lat - a.lat) / 2
    half_lng = radians(b.lng - a.lng) / 2
    chord = sin(half_lat) ** 2 + cos(radians(a.lat)) * cos(radians(b.lat)) * sin(half_lng) ** 2
    return 2 * EARTH_RADIUS_KM * asin(min(1.0, sqrt(chord)))


def reach_km(bounds: Bounds) -> float:
    """From the centre to beyond every corner: a circle around the viewport, for the index.

    Corners are the farthest points of a viewport, unless it is wider than half the earth.
    """
    if span_degrees(bounds) >= 180:
        return EARTH_RADIUS_KM * radians(180)
    middle = centre(bounds)
    corners = (bounds.ne, bounds.sw, Point(bounds.ne.lat, bounds.sw.lng), Point(bounds.sw.lat, bounds.ne.lng))
    # One per cent more: the index measures on a slightly different sphere.
    return max(distance_km(middle, corner) for corner in corners) * 1.01 + 0.001


def nearest(point: Point, places: Iterable[tuple[str, Point]], within_km: float) -> str | None:
    """The key of the closest place not farther than `within_km`; the smaller key on a tie."""
    best = min(((distance_km(point, at), key) for key, at in places), default=None)
    return best[1] if best and best[0] <= within_km else None
