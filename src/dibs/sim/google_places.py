"""A Google Places that knows where everything is, behind the real wire format.

A field mask is mandatory and only what it names is answered; a location bias orders, and never filters; the
errors are Google's. `troubles` makes it fail on demand, `asked` tells what it was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from aiohttp import web
from rapidfuzz import fuzz

from dibs.places.geo import Point, distance_km
from dibs.sim.trouble import Troubles

MOST_SUGGESTIONS = 5
PAGE = 20
SIMILAR_ENOUGH = 70
RESTAURANT = ("restaurant", "food", "point_of_interest", "establishment")


@dataclass(frozen=True, slots=True)
class SimPlace:
    """Something on the map."""

    id: str
    name: str
    address: str
    lat: float
    lng: float
    types: tuple[str, ...] = RESTAURANT

    @property
    def point(self) -> Point:
        return Point(self.lat, self.lng)


@dataclass(frozen=True, slots=True)
class AskedPlaces:
    """One request."""

    path: str
    body: dict[str, Any]
    mask: str


class _RefusedError(Exception):
    def __init__(self, code: int, status: str, message: str) -> None:
        super().__init__(message)
        self.answer = web.json_response(
            {"error": {"code": code, "message": message, "status": status, "details": []}}, status=code
        )


Handler = Callable[[web.Request, dict[str, Any]], dict[str, Any]]


class GooglePlacesSim:
    def __init__(self, *, api_key: str = "sim-key", quota: int | None = None) -> None:
        self.api_key = api_key
        self.quota = quota
        self.places: dict[str, SimPlace] = {}
        self.troubles = Troubles()
        self.asked: list[AskedPlaces] = []

    def put(
        self, name: str, at: Point, *, address: str = "", types: Sequence[str] = RESTAURANT, place_id: str = ""
    ) -> SimPlace:
        made = SimPlace(place_id or f"sim-{len(self.places)}", name, address, at.lat, at.lng, tuple(types))
        self.places[made.id] = made
        return made

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/v1/places:autocomplete", self._handle(self._autocomplete))
        app.router.add_post("/v1/places:searchText", self._handle(self._search_text))
        app.router.add_get("/v1/places/{id}", self._handle(self._details))
        return app

    def _handle(self, handler: Handler) -> Callable[[web.Request], Any]:
        async def handle(request: web.Request) -> web.StreamResponse:
            trouble = self.troubles.meet(request.path)
            body = await _body(request)
            mask = request.headers.get("X-Goog-FieldMask", "")
            self.asked.append(AskedPlaces(request.path, body, mask))
            if trouble:
                return await trouble.answer(request)
            try:
                self._admit(request, mask)
                return web.json_response(_masked(handler(request, body), mask.split(",")))
            except _RefusedError as refused:
                return refused.answer

        return handle

    def _admit(self, request: web.Request, mask: str) -> None:
        if request.headers.get("X-Goog-Api-Key") != self.api_key:
            raise _RefusedError(403, "PERMISSION_DENIED", "The request is missing a valid API key.")
        if self.quota is not None and len(self.asked) > self.quota:
            raise _RefusedError(429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Requests'.")
        if not mask.strip():
            raise _RefusedError(400, "INVALID_ARGUMENT", "FieldMask is a required parameter.")

    def _autocomplete(self, _: web.Request, body: dict[str, Any]) -> dict[str, Any]:
        wanted = _required(body, "input")
        near = _bias(body)
        origin = _point(body["origin"]) if "origin" in body else None
        kinds = set(body.get("includedPrimaryTypes") or [])
        found = [place for place in self._alike(wanted, near) if not kinds or kinds & set(place.types)]
        return {"suggestions": [_as_suggestion(place, origin) for place in found[:MOST_SUGGESTIONS]]} if found else {}

    def _search_text(self, _: web.Request, body: dict[str, Any]) -> dict[str, Any]:
        wanted = _required(body, "textQuery")
        size = body.get("pageSize", PAGE)
        if not isinstance(size, int) or not 1 <= size <= PAGE:
            raise _RefusedError(400, "INVALID_ARGUMENT", "page_size must be between 1 and 20.")
        found = self._alike(wanted, _bias(body))
        return {"places": [_as_place(place) for place in found[:size]]} if found else {}

    def _details(self, request: web.Request, _: dict[str, Any]) -> dict[str, Any]:
        place = self.places.get(request.match_info["id"])
        if place is None:
            raise _RefusedError(404, "NOT_FOUND", "The Place ID is no longer valid.")
        return _as_place(place)

    def _alike(self, wanted: str, near: Point | None) -> list[SimPlace]:
        """By likeness, then by distance; far ones stay in."""
        scored = [
            (round(fuzz.WRatio(wanted.lower(), place.name.lower()) / 10), place) for place in self.places.values()
        ]
        alike = [(score, place) for score, place in scored if score * 10 >= SIMILAR_ENOUGH]
        return [
            place
            for _, place in sorted(
                alike,
                key=lambda one: (-one[0], distance_km(near, one[1].point) if near else 0.0, one[1].id),
            )
        ]


async def _body(request: web.Request) -> dict[str, Any]:
    try:
        read = msgspec.json.decode(await request.read() or b"{}")
    except msgspec.DecodeError:
        return {}
    return read if isinstance(read, dict) else {}


def _required(body: dict[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _RefusedError(400, "INVALID_ARGUMENT", f"{name} must not be empty.")
    return value


def _bias(body: dict[str, Any]) -> Point | None:
    circle = body.get("locationBias", {}).get("circle")
    if circle is None:
        return None
    if not 0 < circle.get("radius", 5000) <= 50_000:
        raise _RefusedError(400, "INVALID_ARGUMENT", "Radius must be between 0 and 50000 meters.")
    return _point(circle["center"])


def _point(value: dict[str, Any]) -> Point:
    lat, lng = value.get("latitude", 0.0), value.get("longitude", 0.0)
    if not -90 <= lat <= 90 or not -180 <= lng <= 180:
        raise _RefusedError(400, "INVALID_ARGUMENT", "Latitude or longitude is out of range.")
    return Point(lat, lng)


def _as_suggestion(place: SimPlace, origin: Point | None) -> dict[str, Any]:
    prediction: dict[str, Any] = {
        "placeId": place.id,
        "structuredFormat": {"mainText": {"text": place.name}, "secondaryText": {"text": place.address}},
        "types": list(place.types),
    }
    if origin:
        prediction["distanceMeters"] = round(distance_km(origin, place.point) * 1000)
    return {"placePrediction": prediction}


def _as_place(place: SimPlace) -> dict[str, Any]:
    return {
        "id": place.id,
        "displayName": {"text": place.name, "languageCode": "en"},
        "formattedAddress": f"{place.address}",
        "location": {"latitude": place.lat, "longitude": place.lng},
        "types": list(place.types),
    }


def _masked(document: Any, paths: list[str]) -> Any:
    """Only what the mask names; a path that names an object names all of it."""
    if "*" in paths or "" in paths:
        return document
    if isinstance(document, list):
        return [_masked(one, paths) for one in document]
    if not isinstance(document, dict):
        return document
    deeper: dict[str, list[str]] = {}
    for path in paths:
        head, _, rest = path.strip().partition(".")
        deeper.setdefault(head, []).append(rest)
    return {name: _masked(value, deeper[name]) for name, value in document.items() if name in deeper}
