"""Google Places (New): autocomplete, text search, details. In this order, each biased and none filtered.

Every answer is a value: what was found, or a Failure with the provider's own reason. "No match" is an empty
list; a quota that is used up is a Failure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import quote

from dibs.clock import Clock
from dibs.config.sections import GooglePlaces
from dibs.db import Database
from dibs.sources.google_places_wire import (
    Malformed,
    Place,
    Suggestion,
    read_error,
    read_place,
    read_places,
    read_suggestions,
)
from dibs.sources.http import Client, Request
from dibs.sources.model import Failure, Fault
from dibs.sources.turn_rule import Manners
from dibs.sources.turns import Sleep, Turns

SERVICE = "google_places"
# What Places allows for a circle, and takes when none is given.
NARROWEST_M, WIDEST_M, DEFAULT_M = 1.0, 50_000.0, 5_000.0
PLACE_FIELDS = ("id", "displayName", "formattedAddress", "location", "types")
SUGGESTION_MASK = ",".join(
    f"suggestions.placePrediction.{field}" for field in ("placeId", "structuredFormat", "types", "distanceMeters")
)
SEARCH_MASK = ",".join(f"places.{field}" for field in PLACE_FIELDS)
DETAILS_MASK = ",".join(PLACE_FIELDS)
LANGUAGE = "en"

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Around:
    """Near where to look; a bias, not a border."""

    lat: float
    lng: float
    radius_m: float | None = None

    def circle(self) -> dict[str, Any]:
        radius = min(max(self.radius_m or DEFAULT_M, NARROWEST_M), WIDEST_M)
        return {"circle": {"center": self.point(), "radius": radius}}

    def point(self) -> dict[str, float]:
        return {"latitude": self.lat, "longitude": self.lng}


class GooglePlacesSource:
    """One key of Places; its daily quota is counted over all processes."""

    def __init__(
        self, config: GooglePlaces, client: Client, db: Database, clock: Clock, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._config = config
        self._client = client
        self._turns = Turns(
            SERVICE,
            Manners(daily_quota=config.daily_quota),
            db,
            clock,
            timeout_s=config.timeout_s,
            sleep=sleep,
        )

    @property
    def configured(self) -> bool:
        """Google itself wants a key; a stand-in at another address may do without."""
        return bool(self._config.api_key) or self._config.base_url != GooglePlaces().base_url

    async def autocomplete(self, text: str, around: Around) -> list[Suggestion] | Failure:
        body = {
            "input": text,
            "languageCode": LANGUAGE,
            "locationBias": around.circle(),
            "origin": around.point(),
        }
        return await self._ask("/v1/places:autocomplete", SUGGESTION_MASK, read_suggestions, body)

    async def search_text(self, text: str, around: Around) -> list[Place] | Failure:
        body = {"textQuery": text, "languageCode": LANGUAGE, "locationBias": around.circle()}
        return await self._ask("/v1/places:searchText", SEARCH_MASK, read_places, body)

    async def details(self, place_id: str) -> Place | Failure:
        return await self._ask(f"/v1/places/{quote(place_id, safe='')}", DETAILS_MASK, read_place)

    async def _ask(
        self, path: str, mask: str, read: Callable[[bytes], Found], body: dict[str, Any] | None = None
    ) -> Found | Failure:
        if not self.configured:
            return Failure(Fault.CONFIGURATION, "collect.google_places has no api_key")
        request = Request(
            self._config.base_url.rstrip("/") + path,
            method="POST" if body else "GET",
            headers={"X-Goog-Api-Key": self._config.api_key, "X-Goog-FieldMask": mask},
            json=body,
            follow=False,
        )
        answer = await self._turns.ask(self._client, request)
        if isinstance(answer, Failure):
            said = read_error(answer.body)
            return replace(answer, reason=f"{answer.reason}: {said}") if said else answer
        try:
            return read(answer.body)
        except Malformed as error:
            return Failure(Fault.TRANSIENT, f"malformed: {error}"[:300], answer.status)
