"""Looks a restaurant up in Places: autocomplete, then text search, then details."""

from __future__ import annotations

from dataclasses import dataclass

from dibs.demand.match import MatchReason, Meant, Option, pick
from dibs.places.enrichment_store import LookUp
from dibs.places.geo import Point, distance_km
from dibs.places.model import EntityStatus
from dibs.sources.google_places import Around, GooglePlacesSource
from dibs.sources.google_places_wire import Place, Suggestion
from dibs.sources.model import Failure

GONE = 404


@dataclass(frozen=True, slots=True)
class Found:
    """The place that is meant, and how well it fits."""

    place: Place
    score: float


def around_of(wanted: LookUp) -> Around:
    """The request's bounds or user location, else the centre of the community."""
    if wanted.bias_lat is not None and wanted.bias_lng is not None:
        return Around(wanted.bias_lat, wanted.bias_lng, wanted.bias_radius_m)
    return Around(wanted.center_lat, wanted.center_lng)


def meant_by(wanted: LookUp, within_km: float) -> Meant:
    confirming = wanted.status == EntityStatus.CANDIDATE
    return Meant(wanted.name, wanted.location_key, within_km, confirming)


async def look_up(places: GooglePlacesSource, wanted: LookUp, within_km: float) -> Found | MatchReason | Failure:
    """The best acceptable place, or why there is none; a Failure says nothing about the restaurant."""
    around, meant = around_of(wanted), meant_by(wanted, within_km)
    first = await _by_autocomplete(places, meant, around)
    if not isinstance(first, MatchReason):
        return first
    second = await _by_text(places, meant, around)
    return first if second is MatchReason.NOTHING_OFFERED else second


async def _by_autocomplete(places: GooglePlacesSource, meant: Meant, around: Around) -> Found | MatchReason | Failure:
    suggestions = await places.autocomplete(meant.name, around)
    if isinstance(suggestions, Failure):
        return MatchReason.NOTHING_OFFERED if suggestions.status == GONE else suggestions
    verdict = pick(meant, [_suggested(one) for one in suggestions])
    if verdict.option is None:
        return verdict.reason
    place = await places.details(verdict.option.place_id)
    if isinstance(place, Failure):
        return MatchReason.NOTHING_OFFERED if place.status == GONE else place
    # A suggestion says where it is in words only; the place itself says it in degrees.
    return _judged(meant, place, around)


async def _by_text(places: GooglePlacesSource, meant: Meant, around: Around) -> Found | MatchReason | Failure:
    found = await places.search_text(meant.name, around)
    if isinstance(found, Failure):
        return found
    verdict = pick(meant, [_on_the_map(place, around) for place in found])
    if verdict.option is None:
        return verdict.reason
    shown = next(place for place in found if place.place_id == verdict.option.place_id)
    place = await places.details(shown.place_id)
    if isinstance(place, Failure):
        return _judged(meant, shown, around) if place.status == GONE else place
    return _judged(meant, place, around)


def _judged(meant: Meant, place: Place, around: Around) -> Found | MatchReason:
    verdict = pick(meant, [_on_the_map(place, around)])
    return Found(place, verdict.score) if verdict.option else verdict.reason


def _suggested(one: Suggestion) -> Option:
    km = None if one.distance_m is None else one.distance_m / 1000
    return Option(one.place_id, one.name, one.description, one.types, km)


def _on_the_map(place: Place, around: Around) -> Option:
    km = distance_km(Point(around.lat, around.lng), Point(place.lat, place.lng))
    return Option(place.place_id, place.name, place.address, place.types, km)
