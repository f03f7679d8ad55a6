"""Looks a restaurant up in Places: autocomplete, then text search, then details."""

from __future__ import annotations

from dataclasses import dataclass

from dibs.demand.enrich_store import LookUp
from dibs.demand.match import MatchReason, Meant, Option, Verdict, pick
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
    here = Point(around.lat, around.lng)
    suggestions = await places.autocomplete(wanted.name, around)
    if isinstance(suggestions, Failure):
        return suggestions
    verdict = pick(meant, [_suggested(one) for one in suggestions])
    if verdict.option:
        return await _in_detail(places, meant, verdict, here)
    found = await places.search_text(wanted.name, around)
    if isinstance(found, Failure):
        return found
    second = pick(meant, [_on_the_map(place, here) for place in found])
    if second.option is None:
        return verdict.reason if second.reason is MatchReason.NOTHING_OFFERED else second.reason
    return await _in_detail(places, meant, second, here)


async def _in_detail(
    places: GooglePlacesSource, meant: Meant, verdict: Verdict, here: Point
) -> Found | MatchReason | Failure:
    """What it offered is read in full, and judged once more by where it really is."""
    if verdict.option is None:
        return verdict.reason
    place = await places.details(verdict.option.place_id)
    if isinstance(place, Failure):
        return MatchReason.NOTHING_OFFERED if place.status == GONE else place
    settled = pick(meant, [_on_the_map(place, here)])
    if settled.option is None:
        return settled.reason
    return Found(place, max(verdict.score, settled.score))


def _suggested(one: Suggestion) -> Option:
    km = None if one.distance_m is None else one.distance_m / 1000
    return Option(one.place_id, one.name, one.description, one.types, km)


def _on_the_map(place: Place, here: Point) -> Option:
    km = distance_km(here, Point(place.lat, place.lng))
    return Option(place.place_id, place.name, place.address, place.types, km)
