"""Google Places (New): what it answers.

A place without an id, a name or a location is left out; a body of another shape is `Malformed`, which is a
failure and never "no such place".
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

PLACE_ID = re.compile(r"[A-Za-z0-9_\-]{1,300}")
LONGEST = 300
MOST_TYPES = 50
NOT_READABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Malformed(ValueError):
    """The body is not what Places sends."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What autocomplete offers: a name and where it is in words, not yet where on the map."""

    place_id: str
    name: str
    description: str
    types: tuple[str, ...]
    distance_m: float | None


@dataclass(frozen=True, slots=True)
class Place:
    """A place as it stands on the map."""

    place_id: str
    name: str
    address: str
    lat: float
    lng: float
    types: tuple[str, ...]


class _Text(Struct):
    text: str | None = None


class _Structured(Struct, rename="camel"):
    main_text: _Text | None = None
    secondary_text: _Text | None = None


class _Prediction(Struct, rename="camel"):
    place_id: str
    structured_format: _Structured
    types: list[str] | None = None
    distance_meters: float | None = None


class _SuggestionBody(Struct, rename="camel"):
    place_prediction: _Prediction | None = None


class _Autocomplete(Struct):
    suggestions: list[Raw] = []


class _LatLng(Struct):
    latitude: float
    longitude: float


class _Place(Struct, rename="camel"):
    id: str
    display_name: _Text
    location: _LatLng
    formatted_address: str | None = None
    types: list[str] | None = None


class _SearchText(Struct):
    places: list[Raw] = []


class _ErrorBody(Struct):
    message: str | None = None
    status: str | None = None


class _Error(Struct):
    error: _ErrorBody


_autocomplete = msgspec.json.Decoder(_Autocomplete)
_suggestion = msgspec.json.Decoder(_SuggestionBody)
_search_text = msgspec.json.Decoder(_SearchText)
_place = msgspec.json.Decoder(_Place)
_error = msgspec.json.Decoder(_Error)


def read_suggestions(body: bytes) -> list[Suggestion]:
    try:
        raws = _autocomplete.decode(body).suggestions
    except NOT_READABLE as error:
        raise Malformed(f"not an answer to autocomplete: {error}") from error
    return _readable([_read_suggestion(raw) for raw in raws], len(raws))


def read_places(body: bytes) -> list[Place]:
    """An object without `places` says that there is no match."""
    try:
        raws = _search_text.decode(body).places
    except NOT_READABLE as error:
        raise Malformed(f"not an answer to a text search: {error}") from error
    return _readable([_read_place(raw) for raw in raws], len(raws))


def read_place(body: bytes) -> Place:
    found = _read_place(Raw(body))
    if found is None:
        raise Malformed("not a place")
    return found


def read_error(body: bytes) -> str | None:
    """The provider's own reason, in a few words."""
    try:
        said = _error.decode(body).error
    except NOT_READABLE:
        return None
    words = " ".join(f"{said.status or ''} {said.message or ''}".split())
    return "".join(sign for sign in words if sign.isprintable())[:200] or None


Found = TypeVar("Found", Suggestion, Place)


def _readable(found: list[Found | None], sent: int) -> list[Found]:
    once = {one.place_id: one for one in found if one}
    if sent and not once:
        raise Malformed("no place of the answer can be read")
    return list(once.values())


def _read_suggestion(raw: Raw) -> Suggestion | None:
    try:
        found = _suggestion.decode(raw).place_prediction
    except NOT_READABLE:
        return None
    if found is None or not PLACE_ID.fullmatch(found.place_id):
        return None
    shown = found.structured_format
    name = _tidy(shown.main_text.text if shown.main_text else None)
    if not name:
        return None
    return Suggestion(
        found.place_id,
        name,
        _tidy(shown.secondary_text.text if shown.secondary_text else None),
        _types(found.types),
        _distance(found.distance_meters),
    )


def _read_place(raw: Raw) -> Place | None:
    try:
        found = _place.decode(raw)
    except NOT_READABLE:
        return None
    name = _tidy(found.display_name.text)
    at = found.location
    if not PLACE_ID.fullmatch(found.id) or not name or not _on_earth(at):
        return None
    address = _tidy(found.formatted_address)
    return Place(found.id, name, address, at.latitude, at.longitude, _types(found.types))


def _on_earth(at: _LatLng) -> bool:
    return -90 <= at.latitude <= 90 and -180 <= at.longitude <= 180


def _distance(metres: float | None) -> float | None:
    return metres if metres is not None and math.isfinite(metres) and metres >= 0 else None


def _types(types: list[str] | None) -> tuple[str, ...]:
    return tuple(_tidy(one) for one in (types or [])[:MOST_TYPES])


def _tidy(text: str | None) -> str:
    printable = "".join(sign if sign.isprintable() else " " for sign in (text or "")[: LONGEST * 4])
    return " ".join(printable.split())[:LONGEST]
