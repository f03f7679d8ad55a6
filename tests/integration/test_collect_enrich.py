"""Enriching against the simulated Places: which place, whose place, how long it is kept, and quotas."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from collect_harness import Outside, lead_outside, outside_world, time_passes
from demand_harness import AUSTIN, DALLAS, World
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import GooglePlaces
from dibs.db import fetch_all
from dibs.demand.enrich import Enricher
from dibs.parts import Parts
from dibs.places import enrichment_store, entity_store
from dibs.places.geo import Point
from dibs.places.model import EntityStatus, EntityType, NewEntity
from dibs.sim.trouble import HTML, Trouble
from dibs.sources.google_places import GooglePlacesSource

SOUTH = Point(AUSTIN.lat - 0.2, AUSTIN.lng)
NORTH = Point(AUSTIN.lat + 0.2, AUSTIN.lng)


@pytest.fixture
async def outside(clock: FakeClock) -> AsyncIterator[Outside]:
    async with outside_world(clock) as outside:
        yield outside


@pytest.fixture
def config(outside: Outside) -> Config:
    return outside.config


@pytest.fixture
async def world(parts: Parts, outside: Outside, clock: FakeClock) -> World:
    lead_outside(parts, outside, clock)
    made = World(parts)
    await made.cities()
    return made


async def restaurant(
    parts: Parts,
    name: str = "Loro",
    place: str = "austinfood",
    *,
    bias: Point | None = None,
    status: EntityStatus = EntityStatus.KNOWN,
) -> int:
    """A restaurant that was just found in a text."""
    new = NewEntity(EntityType.RESTAURANT, name, place, status)
    now = parts.clock.now()
    async with parts.db.transaction() as connection:
        [made] = await entity_store.ensure_entities(connection, entities=[new], now=now)
        await enrichment_store.want_enrichment(
            connection, entity_ids=[made.entity_id], bias=bias, bias_radius_m=2000.0, now=now
        )
    return made.entity_id


async def enrichment(parts: Parts, entity_id: int) -> dict[str, Any]:
    async with parts.db.connection() as connection:
        rows = await fetch_all(
            connection,
            b"SELECT entity.*, enrichment.status AS enriched, reason, error, attempts, address, place_types, "
            b"place_read_at, due_at, match_score FROM entity LEFT JOIN entity_enrichment AS enrichment "
            b"USING (entity_id) WHERE entity_id = %(entity_id)s",
            {"entity_id": entity_id},
        )
    return rows[0] if rows else {}


async def enrich_all(parts: Parts) -> None:
    while not await parts.enricher.run_once():
        pass


async def test_autocomplete_comes_first_then_details(parts: Parts, world: World, outside: Outside) -> None:
    outside.places.put("Loro", AUSTIN, address="2115 S Lamar Blvd, Austin, TX, USA", place_id="loro")
    entity_id = await restaurant(parts)
    await enrich_all(parts)
    found = await enrichment(parts, entity_id)
    assert (found["enriched"], found["google_place_id"], found["lat"]) == ("matched", "loro", AUSTIN.lat)
    assert found["address"] == "2115 S Lamar Blvd, Austin, TX, USA"
    assert "restaurant" in found["place_types"]
    assert found["match_score"] == 1
    assert [asked.path for asked in outside.places.asked] == ["/v1/places:autocomplete", "/v1/places/loro"]


async def test_text_search_is_asked_when_autocomplete_offers_nothing_that_fits(
    parts: Parts, world: World, outside: Outside
) -> None:
    outside.places.put("Loro", AUSTIN, place_id="loro")
    outside.places.troubles.always(Trouble(200, b"{}"), where="autocomplete")
    entity_id = await restaurant(parts)
    await enrich_all(parts)
    assert (await enrichment(parts, entity_id))["google_place_id"] == "loro"
    assert [asked.path for asked in outside.places.asked][1] == "/v1/places:searchText"


async def test_a_suggestion_whose_details_are_gone_is_looked_for_by_text(
    parts: Parts, world: World, outside: Outside
) -> None:
    outside.places.put("Loro", AUSTIN, address="Austin, TX", place_id="loro")
    outside.places.troubles.always(Trouble(404, b"{}"), where="/v1/places/loro")
    entity_id = await restaurant(parts)
    await enrich_all(parts)
    found = await enrichment(parts, entity_id)
    assert (found["google_place_id"], found["lat"], found["address"]) == ("loro", AUSTIN.lat, "Austin, TX")


@pytest.mark.parametrize(("where", "chosen"), [(NORTH, "north"), (SOUTH, "south")])
async def test_the_bias_of_the_request_decides_between_two_of_one_chain(
    parts: Parts, world: World, outside: Outside, where: Point, chosen: str
) -> None:
    outside.places.put("Loro", SOUTH, place_id="south")
    outside.places.put("Loro", NORTH, place_id="north")
    entity_id = await restaurant(parts, bias=where)
    await enrich_all(parts)
    assert (await enrichment(parts, entity_id))["google_place_id"] == chosen
    circle = outside.places.asked[0].body["locationBias"]["circle"]
    assert circle == {"center": {"latitude": where.lat, "longitude": where.lng}, "radius": 2000.0}


async def test_without_a_bias_the_centre_of_the_community_is_taken(
    parts: Parts, world: World, outside: Outside
) -> None:
    await restaurant(parts, place="dallasfood")
    await enrich_all(parts)
    center = outside.places.asked[0].body["locationBias"]["circle"]["center"]
    assert center == {"latitude": DALLAS.lat, "longitude": DALLAS.lng}


async def test_a_place_in_another_city_is_not_attached(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.places.put("Loro", DALLAS, address="Dallas, TX, USA")
    entity_id = await restaurant(parts)
    await enrich_all(parts)
    found = await enrichment(parts, entity_id)
    assert (found["enriched"], found["reason"], found["google_place_id"]) == ("no_match", "too_far", None)
    # A restaurant that people named stays; it is looked up again after a long rest.
    assert (found["status"], found["due_at"] - clock.now()) == ("known", timedelta(days=60))


async def test_a_candidate_is_confirmed_or_rejected_for_good(parts: Parts, world: World, outside: Outside) -> None:
    outside.places.put("Odd Duck", AUSTIN)
    outside.places.put("Monday Night", AUSTIN, types=("bank",))
    good = await restaurant(parts, "Odd Duck", status=EntityStatus.CANDIDATE)
    bad = await restaurant(parts, "Monday Night", status=EntityStatus.CANDIDATE)
    await enrich_all(parts)
    assert (await enrichment(parts, good))["status"] == "known"
    rejected = await enrichment(parts, bad)
    assert (rejected["status"], rejected["enriched"], rejected["due_at"]) == ("rejected", "no_match", None)
    assert rejected["reason"] == "not_a_restaurant"


async def test_a_place_of_the_same_community_merges_the_two(parts: Parts, world: World, outside: Outside) -> None:
    outside.places.put("Loro Asian Smokehouse", AUSTIN, place_id="loro")
    first = await restaurant(parts, "Loro Asian Smokehouse")
    await world.mentions(first, None)
    await enrich_all(parts)
    second = await restaurant(parts, "Loro Smokehouse")
    await world.mentions(second, None, count=2)
    await enrich_all(parts)
    assert await enrichment(parts, second) == {}
    kept = await enrichment(parts, first)
    assert (kept["google_place_id"], kept["mention_count"]) == ("loro", 3)
    async with parts.db.connection() as connection:
        entity = await entity_store.get_entity(connection, entity_id=first)
    assert entity
    assert entity.aliases == ["Loro Smokehouse"]


async def test_a_place_of_another_community_is_left_with_the_reason(
    parts: Parts, world: World, outside: Outside
) -> None:
    await world.community("austin", AUSTIN)
    outside.places.put("Loro", AUSTIN, place_id="loro")
    owner = await restaurant(parts, place="austinfood")
    await enrich_all(parts)
    other = await restaurant(parts, place="austin")
    await enrich_all(parts)
    assert (await enrichment(parts, owner))["google_place_id"] == "loro"
    left = await enrichment(parts, other)
    assert (left["enriched"], left["google_place_id"], left["status"]) == ("owned_by_other", None, "known")
    assert left["reason"] == "the place belongs to Loro in austinfood"


async def test_two_workers_never_give_one_place_to_two_restaurants(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    await world.community("austin", AUSTIN)
    outside.places.put("Loro", AUSTIN, place_id="loro")
    ids = [await restaurant(parts, place=place) for place in ("austin", "austinfood")]
    # Each worker takes one of the two before either has written.
    workers = [
        Enricher(parts.db, clock, parts.google_places, f"w{number}", refresh_days=30, within_km=80, batch=1)
        for number in range(2)
    ]
    await asyncio.gather(*(worker.run_once() for worker in workers))
    await enrich_all(parts)
    found = [await enrichment(parts, one) for one in ids]
    assert sorted(one["enriched"] for one in found) == ["matched", "owned_by_other"]
    assert sorted(str(one["google_place_id"]) for one in found) == ["None", "loro"]


@pytest.mark.parametrize("trouble", [HTML, Trouble(500), Trouble(429, b"{}", headers={"Retry-After": "2"})])
async def test_a_failure_is_tried_again_and_never_a_no_match(
    parts: Parts, world: World, outside: Outside, clock: FakeClock, trouble: Trouble
) -> None:
    outside.places.put("Loro", AUSTIN, place_id="loro")
    entity_id = await restaurant(parts, status=EntityStatus.CANDIDATE)
    outside.places.troubles.always(trouble)
    rests: list[timedelta] = []
    for _ in range(3):
        await enrich_all(parts)
        failed = await enrichment(parts, entity_id)
        assert (failed["enriched"], failed["status"]) == ("error", "candidate")
        assert failed["error"]
        rests.append(failed["due_at"] - clock.now())
        clock.set(failed["due_at"])
    assert rests == sorted(rests)
    assert rests[-1] <= timedelta(hours=6)
    outside.places.troubles.over()
    await enrich_all(parts)
    mended = await enrichment(parts, entity_id)
    assert (mended["enriched"], mended["error"], mended["attempts"]) == ("matched", None, 0)


async def test_a_used_up_quota_waits_for_tomorrow(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.places.put("Loro", AUSTIN, place_id="loro")
    base = outside.config.collect.google_places.base_url
    config = GooglePlaces(base_url=base, api_key="sim-key", daily_quota=1)
    parts.google_places = GooglePlacesSource(config, parts.client, parts.db, clock, time_passes(clock))
    entity_id = await restaurant(parts)
    await enrich_all(parts)
    waiting = await enrichment(parts, entity_id)
    assert (waiting["enriched"], waiting["error"]) == ("error", "daily_quota")
    assert waiting["due_at"] - clock.now() == timedelta(hours=12)
    assert len(outside.places.asked) == 1


async def test_what_may_be_kept_only_so_long_is_read_again_in_time(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.places.put("Loro", AUSTIN, address="old", place_id="loro")
    entity_id = await restaurant(parts)
    await enrich_all(parts)
    outside.places.put("Loro", NORTH, address="new", place_id="loro")
    clock.advance(28 * 86400)
    await enrich_all(parts)
    read = await enrichment(parts, entity_id)
    assert (read["address"], read["lat"], read["place_read_at"]) == ("new", NORTH.lat, clock.now())
    assert outside.places.asked[-1].path == "/v1/places/loro"


async def test_what_could_not_be_read_again_is_forgotten_but_for_its_id(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.places.put("Loro", AUSTIN, address="here", place_id="loro")
    entity_id = await restaurant(parts)
    await enrich_all(parts)
    outside.places.troubles.always(Trouble(500))
    clock.advance(28 * 86400)
    await enrich_all(parts)
    still = await enrichment(parts, entity_id)
    assert (still["enriched"], still["address"], still["lat"]) == ("matched", "here", AUSTIN.lat)
    clock.advance(3 * 86400)
    assert await parts.enricher.forget() == 1
    assert await parts.enricher.forget() == 0
    old = await enrichment(parts, entity_id)
    assert (old["google_place_id"], old["lat"], old["address"], old["place_types"]) == ("loro", None, None, [])
    outside.places.troubles.over()
    await enrich_all(parts)
    assert (await enrichment(parts, entity_id))["lat"] == AUSTIN.lat


async def test_a_place_id_that_is_gone_is_looked_up_anew(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.places.put("Loro", AUSTIN, place_id="old")
    entity_id = await restaurant(parts)
    await enrich_all(parts)
    del outside.places.places["old"]
    outside.places.put("Loro", AUSTIN, place_id="new")
    clock.advance(28 * 86400)
    await enrich_all(parts)
    assert (await enrichment(parts, entity_id))["google_place_id"] == "new"


async def test_a_worker_that_lost_its_lease_writes_nothing(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.places.put("Loro", AUSTIN, place_id="loro")
    entity_id = await restaurant(parts)
    held, [wanted] = await parts.enricher.claim()
    clock.advance(3600)
    outside.places.put("Loro", NORTH, place_id="loro")
    await enrich_all(parts)
    outside.places.put("Loro", SOUTH, place_id="loro")
    await parts.enricher.enrich(held, wanted)
    assert (await enrichment(parts, entity_id))["lat"] == NORTH.lat


async def test_without_a_key_nothing_is_claimed(parts: Parts, world: World, clock: FakeClock) -> None:
    entity_id = await restaurant(parts)
    parts.google_places = GooglePlacesSource(GooglePlaces(), parts.client, parts.db, clock)
    assert await parts.enricher.run_once() > 0
    assert (await enrichment(parts, entity_id))["enriched"] == "waiting"
