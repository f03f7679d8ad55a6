"""Search and suggestions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field

from dibs.api.answers import MOST, answer, shows
from dibs.api.auth import PartsOf, needs
from dibs.api.entities import EntityTypeName
from dibs.api.places_answers import BoundsBody, EntityShown, PointBody, show_entity, show_point
from dibs.demand.model import OnDemand, Term
from dibs.demand.model import Query as SearchQuery
from dibs.demand.search import Found
from dibs.errors import Invalid
from dibs.places.geo import Bounds, Point
from dibs.places.model import EntityType
from dibs.places.search_store import FoundFood, FoundRestaurant

router = APIRouter(prefix="/api", tags=["demand"])

SearchLimit = Annotated[int, Field(strict=True, ge=1, le=MOST)]
Degrees = Annotated[float | None, Query(allow_inf_nan=False)]


class TermBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(min_length=1, max_length=200)]
    entity_type: EntityTypeName


class Located(BaseModel):
    """Where the person looks: the viewport, and where they are."""

    bounds: BoundsBody | None = None
    user_location: PointBody | None = None
    limit: SearchLimit | None = None


class SearchBody(Located):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "query": "tacos",
                    "bounds": {"ne": {"lat": 30.4, "lng": -97.6}, "sw": {"lat": 30.1, "lng": -97.9}},
                }
            ]
        },
    )

    query: Annotated[str, Field(max_length=500)] = ""
    terms: Annotated[list[TermBody], Field(max_length=16)] | None = None

    def read(self) -> SearchQuery:
        terms = tuple(Term(term.text, EntityType(term.entity_type)) for term in self.terms or [])
        return _query(self.query, terms, self)


class SelectBody(Located):
    """The suggestion that was picked; a client may send it back as it came, only its id is read."""

    model_config = ConfigDict(extra="ignore")

    entity_id: Annotated[int, Field(strict=True, ge=1, lt=2**63)]

    def read(self) -> SearchQuery:
        return _query("", (), self)


class RestaurantShown(EntityShown, frozen=True, kw_only=True):
    matched_mentions: int
    distance_km: float | None
    score: float


class FoodShown(EntityShown, frozen=True, kw_only=True):
    matched_mentions: int
    restaurants: list[int]


class SearchMetadata(Struct, frozen=True):
    primary_count: int
    location_key: str | None
    viewport_miles: float | None
    on_demand: OnDemand


class SearchAnswer(Struct, frozen=True):
    restaurants: list[RestaurantShown]
    foods: list[FoodShown]
    metadata: SearchMetadata


class SuggestionsMetadata(Struct, frozen=True):
    location_key: str | None


class SuggestionsAnswer(Struct, frozen=True):
    items: list[EntityShown]
    next_cursor: str | None
    metadata: SuggestionsMetadata


@router.post("/search", dependencies=needs("read"), responses=shows(SearchAnswer), summary="Search")
async def search(parts: PartsOf, body: SearchBody) -> Response:
    return answer(_show(await parts.search(body.read())))


@router.get("/autocomplete", dependencies=needs("read"), responses=shows(SuggestionsAnswer), summary="Suggestions")
async def autocomplete(
    parts: PartsOf,
    q: Annotated[str, Query(max_length=500, description="What was typed so far.")],
    ne_lat: Degrees = None,
    ne_lng: Degrees = None,
    sw_lat: Degrees = None,
    sw_lng: Degrees = None,
    lat: Degrees = None,
    lng: Degrees = None,
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
) -> Response:
    bounds = _bounds(ne_lat, ne_lng, sw_lat, sw_lng)
    found = await parts.autocomplete(q, bounds, _point(lat, lng, "lat and lng"), limit)
    items = [show_entity(one) for one in found.items]
    return answer(SuggestionsAnswer(items, None, SuggestionsMetadata(found.location_key)))


@router.post(
    "/autocomplete/select", dependencies=needs("read"), responses=shows(SearchAnswer), summary="Search for a suggestion"
)
async def select(parts: PartsOf, body: SelectBody) -> Response:
    return answer(_show(await parts.search.select(body.entity_id, body.read())))


def _query(text: str, terms: tuple[Term, ...], body: Located) -> SearchQuery:
    return SearchQuery(
        text,
        terms,
        body.bounds.read() if body.bounds else None,
        body.user_location.read() if body.user_location else None,
        body.limit or 25,
    )


def _point(lat: float | None, lng: float | None, names: str) -> Point | None:
    if (lat is None) != (lng is None):
        raise Invalid(f"{names} go together: give both or none.", field=names.split(maxsplit=1)[0])
    return None if lat is None or lng is None else Point(lat, lng)


def _bounds(ne_lat: float | None, ne_lng: float | None, sw_lat: float | None, sw_lng: float | None) -> Bounds | None:
    ne = _point(ne_lat, ne_lng, "ne_lat and ne_lng")
    sw = _point(sw_lat, sw_lng, "sw_lat and sw_lng")
    if (ne is None) != (sw is None):
        raise Invalid("A viewport has two corners: give ne_lat, ne_lng, sw_lat and sw_lng.", field="ne_lat")
    return None if ne is None or sw is None else Bounds(ne, sw)


def _show(found: Found) -> SearchAnswer:
    metadata = SearchMetadata(found.primary_count, found.location_key, found.viewport_miles, found.on_demand)
    return SearchAnswer(
        [_show_restaurant(one) for one in found.restaurants], [_show_food(one) for one in found.foods], metadata
    )


def _show_restaurant(found: FoundRestaurant) -> RestaurantShown:
    return RestaurantShown(
        entity_id=found.entity_id,
        name=found.name,
        type=found.type,
        location_key=found.location_key,
        google_place_id=found.google_place_id,
        location=show_point(found.location),
        aliases=found.aliases,
        mention_count=found.mention_count,
        last_mentioned_at=found.last_mentioned_at,
        matched_mentions=found.matched_mentions,
        distance_km=None if found.distance_m is None else round(found.distance_m / 1000, 3),
        score=round(found.score, 6),
    )


def _show_food(found: FoundFood) -> FoodShown:
    return FoodShown(
        entity_id=found.entity_id,
        name=found.name,
        type=found.type,
        location_key=None,
        google_place_id=None,
        location=None,
        aliases=found.aliases,
        mention_count=found.mention_count,
        last_mentioned_at=found.last_mentioned_at,
        matched_mentions=found.matched_mentions,
        restaurants=found.restaurant_ids,
    )
