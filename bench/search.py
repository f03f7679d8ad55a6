"""`search`: bounds + term over 1,000,000 entities and 5,000,000 mentions, against the same SQL run bare.

The floor executes the very statements a search executes (where, what is meant, what is inside the viewport, what
is eaten there, and the sighting) on one prepared connection with ready parameters and reads their rows, so the
ratio is what the search costs around its SQL: checking, interpreting, building rows and deciding.
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any

from psycopg.rows import tuple_row

from bench.harness import Bench, Result
from dibs.db import Json, statements
from dibs.demand.interpret import spans_of
from dibs.demand.model import Query
from dibs.places import search_store
from dibs.places.geo import Bounds, Point, centre
from dibs.telemetry import configure_logs

places = statements("dibs.places.search_store")
demand = statements("dibs.demand.request_store")
CITIES = 200
QUICK_CITIES = 4
FOODS = 10_000
# Everybody speaks of the first 64 foods; the others are rare.
COMMON_FOODS = 64

DROP = """
DROP INDEX entity_inside, entity_unplaced, entity_prefix, entity_prefix_in_place, entity_similar, entity_by_type;
DROP INDEX mention_of_restaurant, mention_of_subject, mention_in_post, connection_of_subject;
ALTER TABLE mention DROP CONSTRAINT mention_once, DROP CONSTRAINT mention_restaurant_id_fkey,
    DROP CONSTRAINT mention_subject_id_fkey;
ALTER TABLE connection DROP CONSTRAINT connection_restaurant_id_fkey, DROP CONSTRAINT connection_subject_id_fkey;
"""
KEEP = "SELECT indexdef FROM pg_indexes WHERE indexname = ANY (%s)"
DROPPED = (
    "entity_inside entity_unplaced entity_prefix entity_prefix_in_place entity_similar entity_by_type "
    "mention_of_restaurant mention_of_subject mention_in_post connection_of_subject"
)
# Twenty columns of ten cities across the country, each a city wide.
CITY = "SELECT 'city' || n, 28 + (n %% 10) * 2.0, -120 + (n / 10) * 2.5 FROM generate_series(0, {cities} - 1) AS n"
FILL = [
    "INSERT INTO community (location_key, lat, lng) " + CITY.replace("%%", "%"),
    """
    INSERT INTO entity (type, name, name_key, mention_count, last_mentioned_at)
    SELECT 'food', 'dish ' || n, 'dish ' || n, 100, now() FROM generate_series(1, {foods}) AS n
    """,
    """
    INSERT INTO entity (type, name, name_key, location_key, lat, lng, google_place_id, mention_count, last_mentioned_at)
    SELECT 'restaurant', 'Kitchen ' || n, 'kitchen ' || n, 'city' || n % {cities},
           28 + (n % {cities} % 10) * 2.0 + (hashint4(n) % 1000) * 0.0003,
           -120 + (n % {cities} / 10) * 2.5 + (hashint4(n + 7) % 1000) * 0.0003,
           'place' || n, 5, now() - (n % 900) * interval '1 day'
    FROM generate_series(1, {restaurants}) AS n
    """,
    """
    INSERT INTO mention (restaurant_id, subject_id, source_id, post_id, score, mentioned_at)
    SELECT {foods} + 1 + n % {restaurants},
           CASE n / {restaurants} % 3 WHEN 0 THEN NULL WHEN 1 THEN 1 + (hashint4(n) & 63)
                ELSE 1 + (hashint4(n) & 2147483647) % {foods} END,
           't1_' || n, 't3_' || n / 20, n % 50, now() - (n % 700) * interval '1 day'
    FROM generate_series(1, {mentions}) AS n
    """,
    """
    INSERT INTO connection (restaurant_id, subject_id, mention_count, mention_score, last_mentioned_at)
    SELECT restaurant_id, subject_id, count(*), sum(score), max(mentioned_at)
    FROM mention WHERE subject_id IS NOT NULL GROUP BY 1, 2
    """,
]


async def run(bench: Bench) -> list[Result]:
    entities, mentions = bench.sized(1_000_000, 20_000), bench.sized(5_000_000, 100_000)
    bench.say(f"making {entities:,} entities and {mentions:,} mentions")
    await _fill(bench, entities, mentions)
    searches = bench.sized(40, 10)
    cities = bench.sized(CITIES, QUICK_CITIES)
    configure_logs("warning", "json")
    async with bench.parts() as parts, bench.connection() as bare:
        bare.prepare_threshold = 0
        turns = itertools.count()

        async def ours() -> int:
            for _ in range(searches):
                found = await parts.search(_query(next(turns) % cities, next(turns)))
                assert found.restaurants
            return searches

        async def floor() -> int:
            for _ in range(searches):
                assert await _bare(bare, _query(next(turns) % cities, next(turns)))
            return searches

        value, lowest = await bench.compare(ours, floor, rounds=7)
    note = f"{entities:,} entities, {mentions:,} mentions; a city's viewport and a food"
    return [Result("search", value, "searches/s", floor=lowest, at_least=0.4, note=note)]


async def _fill(bench: Bench, entities: int, mentions: int) -> None:
    sizes = {"cities": bench.sized(CITIES, QUICK_CITIES), "foods": min(FOODS, entities // 10), "mentions": mentions}
    sizes["restaurants"] = entities - sizes["foods"]
    async with bench.connection() as connection:
        cursor = await connection.execute(KEEP, (DROPPED.split(),))
        indexes = [row[0] for row in await cursor.fetchall()]
        await connection.execute(DROP)
    await bench.fill(*(statement.format(**sizes) for statement in FILL), *indexes)


def _query(city: int, turn: int) -> Query:
    """Another city and another common food each time."""
    middle = Point(28 + (city % 10) * 2.0, -120 + (city // 10) * 2.5)
    bounds = Bounds(Point(middle.lat + 0.15, middle.lng + 0.15), Point(middle.lat - 0.15, middle.lng - 0.15))
    return Query(f"best dish {1 + turn % COMMON_FOODS} near me", (), bounds)


async def _bare(connection: Any, query: Query) -> list[Any]:
    """The statements of a search, one after the other, with nothing around them."""
    now = datetime.now(UTC)
    assert query.bounds
    middle = centre(query.bounds)
    near = {"lats": [middle.lat], "lngs": [middle.lng], "metres": 80_000}
    place = (await _rows(connection, places("find_nearest_community"), near))[0][0]
    named = {"keys": spans_of(query.text), "location_key": place}
    food = (await _rows(connection, places("find_named"), named))[0][1]
    area = search_store.Area(query.bounds, None, place)
    asked = {"subject_ids": [food], "food_ids": [food], "attribute_ids": list[int]()}
    found = await _rows(connection, places("search_in_bounds"), search_store.values_of(area, 25, now) | asked)
    eaten = {"restaurant_ids": [row[0] for row in found], "food_ids": [food], "limit": 25}
    await _rows(connection, places("list_foods_of"), eaten)
    await _rows(connection, demand("sight"), _sighting(f"dish {food}", place, now))
    return found


def _sighting(term: str, place: str, now: datetime) -> dict[str, Any]:
    wanted = {"term": term, "term_key": term, "entity_type": "food", "reason": "low_result"}
    return {
        "wanted": Json([wanted]),
        "place": place,
        "refused": None,
        "now": now,
        "bias_lat": None,
        "bias_lng": None,
        "bias_radius_m": None,
    }


async def _rows(connection: Any, statement: bytes, values: dict[str, Any]) -> list[Any]:
    async with connection.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute(statement, values)
        return await cursor.fetchall()
