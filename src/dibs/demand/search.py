"""Search as a person sees it: what is known here, and what is set in motion where too little is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.demand.decide import Sighting
from dibs.demand.model import Bias, OnDemand, Query, Reason, Term, Wanted
from dibs.demand.resolve import Meaning, beginning_with, resolve
from dibs.demand.sight import Sight
from dibs.errors import Invalid, NotFound
from dibs.places import community_store, entity_store, search_store
from dibs.places.communities import points_of
from dibs.places.entity_store import Named
from dibs.places.geo import Point, check_bounds, check_point, reach_km, viewport_miles
from dibs.places.model import Entity, EntityStatus, EntityType
from dibs.places.names import LONGEST, key_of, tidy
from dibs.places.search_store import Area, FoundFood, FoundRestaurant
from dibs.telemetry import metrics_demand

LONGEST_QUERY = 500
MOST_TERMS = 16
# Places takes no bias wider than this.
WIDEST_BIAS_M = 50_000.0


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a search."""

    restaurants: list[FoundRestaurant]
    foods: list[FoundFood]
    primary_count: int
    location_key: str | None
    viewport_miles: float | None
    on_demand: OnDemand


@dataclass(frozen=True, slots=True)
class Where:
    """The community a search is in, and the point that says so."""

    location_key: str | None = None
    bias: Bias | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """What the tables gave."""

    restaurants: list[FoundRestaurant]
    foods: list[FoundFood]

    @property
    def count(self) -> int:
        return self.restaurants[0].total if self.restaurants else 0


def check_query(query: Query) -> Query:
    """Refuses what cannot be searched for; the error names the field."""
    if len(query.text) > LONGEST_QUERY:
        raise Invalid(f"query is longer than {LONGEST_QUERY} characters", field="query")
    if not query.terms and not tidy(query.text):
        raise Invalid("query is empty: say what to look for, or give terms", field="query")
    if len(query.terms) > MOST_TERMS:
        raise Invalid(f"terms are more than {MOST_TERMS}", field="terms")
    for at, term in enumerate(query.terms):
        if not tidy(term.text) or len(term.text) > LONGEST:
            raise Invalid(f"terms.{at}.text must have 1 to {LONGEST} characters", field=f"terms.{at}.text")
    if query.bounds:
        check_bounds(query.bounds)
    if query.user_location:
        check_point(query.user_location, "user_location")
    return query


@dataclass(frozen=True, slots=True)
class Search:
    """Interprets, looks, ranks, and records what was missing."""

    db: Database
    clock: Clock
    sight: Sight
    max_community_km: float = 80.0

    async def __call__(self, query: Query) -> Found:
        started = time.perf_counter()
        check_query(query)
        async with self.db.connection() as connection:
            where = await self.where(connection, query)
            meaning = await resolve(connection, query, where.location_key)
            results = await self.look(connection, query, meaning, where)
        found = await self._told(query, meaning, where, results)
        metrics_demand.SEARCH_SECONDS.observe(time.perf_counter() - started)
        return found

    async def select(self, entity_id: int, query: Query) -> Found:
        """A search for the one entity that was picked from the suggestions."""
        async with self.db.connection() as connection:
            picked = await entity_store.get_entity(connection, entity_id=entity_id)
            if picked is None or picked.status != EntityStatus.KNOWN:
                raise NotFound(f"There is no entity {entity_id}; ask for suggestions again.")
            term = Term(picked.name, EntityType(picked.type))
            chosen = Query("", (term,), query.bounds, query.user_location, query.limit)
            where = await self.where(connection, check_query(chosen))
            meaning = Meaning(((term, (_as_named(picked),)),))
            results = await self.look(connection, chosen, meaning, where)
        return await self._told(chosen, meaning, where, results)

    async def where(self, connection: Connection, query: Query) -> Where:
        points = points_of(query.bounds, query.user_location)
        if not points:
            return Where()
        nearest = await community_store.find_nearest_community(
            connection, points=points, within_km=self.max_community_km
        )
        if nearest is None:
            return Where()
        return Where(nearest.location_key, _bias(query, points[nearest.rank - 1]))

    async def look(self, connection: Connection, query: Query, meaning: Meaning, where: Where) -> Results:
        """Reads what is known: by names where names were said, else by what the restaurants are known for."""
        area = Area(query.bounds, query.user_location, where.location_key)
        named = meaning.ids(EntityType.RESTAURANT)
        named += await beginning_with(connection, meaning.unresolved, where.location_key)
        foods = meaning.ids(EntityType.FOOD)
        attributes = meaning.ids(EntityType.FOOD_ATTRIBUTE, EntityType.RESTAURANT_ATTRIBUTE)
        restaurants: list[FoundRestaurant] = []
        now = self.clock.now()
        if named:
            restaurants = await search_store.search_named(
                connection, restaurant_ids=named, area=area, limit=query.limit, now=now
            )
        elif foods or attributes:
            restaurants = await search_store.search_connected(
                connection, food_ids=foods, attribute_ids=attributes, area=area, limit=query.limit, now=now
            )
        return Results(restaurants, await self._foods(connection, restaurants, foods, query.limit))

    async def _foods(
        self, connection: Connection, restaurants: Sequence[FoundRestaurant], foods: Sequence[int], limit: int
    ) -> list[FoundFood]:
        if not restaurants:
            return []
        ids = [restaurant.entity_id for restaurant in restaurants]
        return await search_store.list_foods_of(connection, restaurant_ids=ids, food_ids=foods, limit=limit)

    async def _told(self, query: Query, meaning: Meaning, where: Where, results: Results) -> Found:
        miles = viewport_miles(query.bounds) if query.bounds else None
        sighting = Sighting(results.count, miles, where.location_key)
        on_demand = await self.sight(wanted_by(meaning), sighting, where.bias)
        return Found(results.restaurants, results.foods, results.count, where.location_key, miles, on_demand)


def wanted_by(meaning: Meaning) -> list[Wanted]:
    """The targets of a search: the known ones may have too few results, the others are not known at all."""
    return [
        Wanted(found[0].name, EntityType(found[0].type), Reason.LOW_RESULT)
        if found
        else Wanted(tidy(term.text), term.entity_type, Reason.UNRESOLVED)
        for term, found in meaning.terms
    ]


def _as_named(entity: Entity) -> Named:
    key = key_of(entity.name)
    return Named(key, entity.entity_id, entity.type, entity.name, entity.location_key, entity.mention_count)


def _bias(query: Query, point: Point) -> Bias:
    """Around where a new restaurant is looked up: as wide as the viewport, within what Places takes."""
    if query.bounds is None or point == query.user_location:
        return Bias(point.lat, point.lng)
    return Bias(point.lat, point.lng, min(WIDEST_BIAS_M, max(1.0, reach_km(query.bounds) * 1000)))
