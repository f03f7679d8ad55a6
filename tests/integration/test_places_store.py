"""Places: what the schema refuses, who is near, how mentions add up, and how cheaply a search reads."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, LiteralString

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demand_harness import AUSTIN, DALLAS, World, around
from dibs.clock import FakeClock
from dibs.db import statements
from dibs.errors import Conflict
from dibs.parts import Parts
from dibs.places import community_store, entity_store, mention_store, sampling, search_store
from dibs.places.geo import Point, nearest
from dibs.places.merge import merge_restaurants
from dibs.places.model import EntityStatus, EntityType, Mention, NewEntity, Post
from dibs.places.names import key_of

sql = statements("dibs.places.search_store")


@pytest.fixture
async def world(parts: Parts) -> World:
    world = World(parts)
    await world.cities()
    return world


# --- what exists once


async def test_names_are_one_entity_whatever_their_case(world: World, parts: Parts) -> None:
    assert await world.restaurant("Torchy's Tacos") == await world.restaurant("TORCHYS tacos")
    assert await world.entity("food", "Ramen") == await world.entity("food", "RAMEN ")
    assert await world.entity("food", "spicy") != await world.entity("food_attribute", "spicy")
    assert await world.entity("restaurant", "Uchi", "austinfood") != await world.entity(
        "restaurant", "Uchi", "dallasfood"
    )


async def test_the_database_itself_refuses_twins(world: World, parts: Parts) -> None:
    first = await world.restaurant("Uchi")
    other = await world.restaurant("Uchiko")
    insert = "INSERT INTO entity (type, name, name_key, location_key) VALUES (%s, %s, %s, %s)"
    await world.entity("food", "ramen")
    async with parts.db.connection() as connection:
        for row in (("restaurant", "UCHI", "uchi", "austinfood"), ("food", "Ramen", "ramen", None)):
            with pytest.raises(psycopg.errors.UniqueViolation):
                await connection.execute(insert, row)
        for row in (("restaurant", "Nowhere", "nowhere", None), ("food", "Pho", "pho", "austinfood")):
            with pytest.raises(psycopg.errors.CheckViolation):
                await connection.execute(insert, row)
        with pytest.raises(psycopg.errors.UniqueViolation):
            await connection.execute(
                "UPDATE entity SET google_place_id = %s WHERE entity_id = %s", (f"place-{first}", other)
            )


async def test_many_at_once_in_the_order_given_with_twins_among_them(world: World, parts: Parts) -> None:
    wanted = [
        NewEntity(EntityType.RESTAURANT, "B", "austinfood", EntityStatus.CANDIDATE),
        NewEntity(EntityType.FOOD, "a"),
        NewEntity(EntityType.RESTAURANT, "b ", "austinfood"),
        NewEntity(EntityType.RESTAURANT, "b", "dallasfood", EntityStatus.CANDIDATE),
    ]
    async with parts.db.transaction() as connection:
        made = await entity_store.ensure_entities(connection, entities=wanted, now=parts.clock.now())
    assert made[0].entity_id == made[2].entity_id
    assert len({one.entity_id for one in made}) == 3
    assert [one.status for one in made] == ["known", "known", "known", "candidate"]
    async with parts.db.transaction() as connection:
        again = await entity_store.ensure_entities(connection, entities=wanted, now=parts.clock.now())
    assert [one.entity_id for one in again] == [one.entity_id for one in made]
    assert not any(one.is_new for one in again)


async def test_a_place_has_one_owner(world: World, parts: Parts) -> None:
    owner = await world.restaurant("Uchi")
    late = await world.entity("restaurant", "Uchi Austin", "austinfood")
    async with parts.db.transaction() as connection:
        result = await entity_store.attach_place(
            connection, entity_id=late, google_place_id=f"place-{owner}", lat=1, lng=1, now=parts.clock.now()
        )
        assert (result.owner_id, result.attached_id) == (owner, None)
        moved = await entity_store.get_entity(connection, entity_id=late)
    assert moved
    assert moved.location is None


# --- where


async def test_the_nearest_active_community(world: World, parts: Parts) -> None:
    async def near(*points: Point, km: float = 80) -> tuple[str, int] | None:
        async with parts.db.connection() as connection:
            found = await community_store.find_nearest_community(connection, points=points, within_km=km)
        return (found.location_key, found.rank) if found else None

    assert await near(Point(30.3, -97.7)) == ("austinfood", 1)
    assert await near(Point(31.5, -97.2)) is None
    assert await near(Point(31.5, -97.2), DALLAS) == ("dallasfood", 2)
    assert await near(DALLAS, AUSTIN) == ("dallasfood", 1)
    assert await near(Point(30.3, -97.7), km=1) is None
    assert await near() is None
    await world.community("fijifood", Point(-17, 179.95))
    assert await near(Point(-17, -179.95)) == ("fijifood", 1)


@settings(max_examples=60, derandomize=True)
@given(lat=st.floats(29, 34), lng=st.floats(-99, -95), km=st.sampled_from([10.0, 80.0, 200.0]))
async def test_the_index_agrees_with_the_rule(world: World, parts: Parts, lat: float, lng: float, km: float) -> None:
    places = [("austinfood", AUSTIN), ("dallasfood", DALLAS)]
    async with parts.db.connection() as connection:
        found = await community_store.find_nearest_community(connection, points=[Point(lat, lng)], within_km=km)
    expected = {nearest(Point(lat, lng), places, km * factor) for factor in (0.998, 1.0, 1.002)}
    # The two spheres differ by a thousandth: at the very edge either answer is right.
    assert (found.location_key if found else None) in expected


# --- sampling


async def test_sampling_replaces_what_was_set_by_hand(world: World, parts: Parts, clock: FakeClock) -> None:
    now = clock.now()
    async with parts.db.transaction() as connection:
        held = await sampling.claim_communities(connection, limit=9, lease_s=60, worker="w", now=now)
        assert set(held.keys) == {"austinfood", "dallasfood"}
        again = await sampling.claim_communities(connection, limit=9, lease_s=60, worker="x", now=now)
        assert again.keys == []
        posted = [now - timedelta(hours=n) for n in range(24 * 30)]
        assert await sampling.settle_sample(connection, held.token, "austinfood", posted, now) == pytest.approx(
            31, abs=1
        )
        assert await sampling.settle_sample_error(connection, held.token, "dallasfood", "Reddit answered 503", now)
        assert await sampling.settle_sample(connection, held.token, "austinfood", [], now) is None
    austin = await parts.communities.get("austinfood")
    assert (austin.activity_from, austin.sampled_at, austin.due_at) == ("sample", now, now + timedelta(days=30))
    dallas = await parts.communities.get("r/DallasFood")
    assert (dallas.posts_per_day, dallas.sample_error) == (5, "Reddit answered 503")
    assert dallas.due_at == now + timedelta(minutes=5)


# --- mentions


async def counted(parts: Parts, entity_id: int) -> tuple[int, int]:
    found = await parts.entities.get(entity_id)
    return found.mention_count, found.mention_score


async def rows(parts: Parts, statement: LiteralString) -> list[Any]:
    async with parts.db.connection() as connection:
        return await (await connection.execute(statement)).fetchall()


async def truth_equals_sums(parts: Parts) -> None:
    """The connections and counters are what the mentions say."""
    wrong = await rows(
        parts,
        """
        WITH truth AS (
            SELECT restaurant_id, subject_id, count(*) AS mentions, sum(score) AS score
            FROM mention WHERE subject_id IS NOT NULL GROUP BY 1, 2
        )
        SELECT * FROM truth FULL JOIN (SELECT * FROM connection WHERE mention_count > 0) AS sums
            USING (restaurant_id, subject_id)
        WHERE truth.mentions IS DISTINCT FROM sums.mention_count OR truth.score IS DISTINCT FROM sums.mention_score
        """,
    )
    assert wrong == []
    wrong = await rows(
        parts,
        """
        SELECT entity_id FROM entity
        WHERE mention_count <> (SELECT count(*) FROM mention
                                WHERE (restaurant_id = entity_id AND subject_id IS NULL) OR subject_id = entity_id)
        """,
    )
    assert wrong == []


async def test_reprocessing_changes_nothing_and_replacing_follows(world: World, parts: Parts, clock: FakeClock) -> None:
    uchi, sushi, ramen = (
        await world.restaurant("Uchi"),
        await world.entity("food", "sushi"),
        await world.entity("food", "ramen"),
    )
    post = await world.post()

    async def process(*mentions: Mention) -> tuple[int, int]:
        async with parts.db.transaction() as connection:
            done = await mention_store.replace_mentions(connection, post_ids=[post], mentions=mentions)
        await truth_equals_sums(parts)
        return done.added, done.removed

    one = Mention(uchi, sushi, "t1_a", post, 3, clock.now())
    two = Mention(uchi, ramen, "t1_a", post, 3, clock.now())
    assert await process(one, two) == (3, 0)
    assert await process(one, two) == (0, 0)
    assert await counted(parts, uchi) == (1, 3)
    assert await process(Mention(uchi, sushi, "t1_a", post, 10, clock.now())) == (0, 1)
    assert await counted(parts, uchi) == (1, 10)
    assert await counted(parts, ramen) == (0, 0)
    assert await process() == (0, 2)
    assert await counted(parts, uchi) == (0, 0)


async def test_merging_moves_mentions_and_names(world: World, parts: Parts, clock: FakeClock) -> None:
    uchi, twin, sushi = (
        await world.restaurant("Uchi"),
        await world.restaurant("Uchi Austin"),
        await world.entity("food", "sushi"),
    )
    await world.mentions(uchi, sushi, 2)
    await world.mentions(twin, sushi, 3)
    async with parts.db.transaction() as connection:
        assert await merge_restaurants(connection, from_id=twin, into_id=uchi) == 6
    await truth_equals_sums(parts)
    merged = await parts.entities.get(uchi)
    assert (merged.mention_count, merged.aliases) == (5, ["Uchi Austin"])
    async with parts.db.transaction() as connection:
        for pair in ((uchi, uchi), (uchi, sushi), (uchi, 999)):
            with pytest.raises(Conflict):
                await merge_restaurants(connection, from_id=pair[0], into_id=pair[1])


async def test_a_post_is_read_again_only_when_somebody_answered(world: World, parts: Parts, clock: FakeClock) -> None:
    async def put(comments: int) -> bool:
        post = Post("t3_x", "austinfood", "t", "", "/r/x", 1, comments, clock.now())
        async with parts.db.transaction() as connection:
            (stored,) = await mention_store.put_posts(connection, posts=[post, post], now=clock.now())
        return stored.unprocessed

    assert await put(3)
    async with parts.db.transaction() as connection:
        await mention_store.mark_posts_processed(connection, post_ids=["t3_x"], extractor="x", now=clock.now())
    assert not await put(3)
    assert await put(4)


# --- cost


async def plan_of(parts: Parts, name: str, values: dict[str, Any]) -> str:
    async with parts.db.connection() as connection:
        cursor = await connection.execute(b"EXPLAIN (FORMAT JSON) " + sql(name), values)
        row = await cursor.fetchone()
    assert row
    return json.dumps(row[0])


FILL = """
INSERT INTO community (location_key, lat, lng) SELECT 'city' || n, 1, 1 FROM generate_series(0, 99) AS n;
INSERT INTO entity (type, name, name_key, location_key, lat, lng, google_place_id, mention_count)
SELECT 'restaurant', 'r' || n, 'r' || n, 'city' || n % 97, 25 + (n % 200) * 0.1, -120 + (n / 200) * 0.4, 'g' || n, 1
FROM generate_series(1, 20000) AS n;
INSERT INTO entity (type, name, name_key) SELECT 'food', 'f' || n, 'f' || n FROM generate_series(1, 500) AS n;
INSERT INTO connection (restaurant_id, subject_id, mention_count, mention_score, last_mentioned_at)
SELECT restaurant.entity_id, food.entity_id, 1, 1, now()
FROM entity AS restaurant
JOIN entity AS food ON food.type = 'food' AND food.entity_id % 100 = restaurant.entity_id % 100
WHERE restaurant.type = 'restaurant';
INSERT INTO mention (restaurant_id, subject_id, source_id, post_id, mentioned_at)
SELECT restaurant_id, subject_id, 't3_' || restaurant_id || '_' || subject_id, 't3_x', now() FROM connection;
ANALYZE entity; ANALYZE connection; ANALYZE mention;
"""


async def test_a_search_reads_by_index_and_never_counts_mentions(world: World, parts: Parts) -> None:
    async with parts.db.connection() as connection:
        await connection.execute(FILL)
        cursor = await connection.execute("SELECT entity_id FROM entity WHERE type = 'food' LIMIT 1")
        row = await cursor.fetchone()
    assert row
    area = search_store.Area(around(AUSTIN), None, "city1")
    values = search_store.values_of(area, 25, parts.clock.now()) | {
        "subject_ids": [row[0]],
        "food_ids": [row[0]],
        "attribute_ids": list[int](),
        "restaurant_ids": [row[0]],
    }
    plan = await plan_of(parts, "search_in_bounds", values)
    assert "entity_inside" in plan
    for name in ("search_in_bounds", "search_in_place", "search_named", "list_foods_of"):
        plan = await plan_of(parts, name, values)
        assert '"Relation Name": "mention"' not in plan, name
        assert not _scans(json.loads(plan), {"entity", "connection"}), name
    typed = {"key": key_of("r19"), "pattern": "r19%", "location_key": "city1", "limit": 10}
    assert not _scans(json.loads(await plan_of(parts, "complete", typed)), {"entity"})
    # A positive control: without the indexes the same test sees a scan.
    async with parts.db.connection() as connection:
        await connection.execute("DROP INDEX entity_inside, entity_unplaced")
    assert _scans(json.loads(await plan_of(parts, "search_in_bounds", values)), {"entity"})


def _scans(node: Any, tables: set[str]) -> list[str]:
    """The tables that a plan reads from end to end."""
    if isinstance(node, list):
        return [name for one in node for name in _scans(one, tables)]
    if not isinstance(node, dict):
        return []
    here = [node["Relation Name"]] if node.get("Node Type") == "Seq Scan" and node["Relation Name"] in tables else []
    return here + [name for value in node.values() for name in _scans(value, tables)]
