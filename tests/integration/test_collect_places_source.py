"""Google Places' source against the simulated one, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from collect_harness import AUSTIN, DALLAS, Outside, outside_world, sources_of
from dibs.clock import FakeClock
from dibs.config.sections import GooglePlaces
from dibs.db import Database
from dibs.sim.trouble import HTML, Trouble
from dibs.sources.google_places import Around, GooglePlacesSource
from dibs.sources.http import open_client
from dibs.sources.model import Failure, Fault

NEAR = Around(AUSTIN.lat, AUSTIN.lng)


@pytest.fixture
async def outside(clock: FakeClock) -> AsyncIterator[Outside]:
    async with outside_world(clock) as outside:
        yield outside


@pytest.fixture
async def places(outside: Outside, db: Database, clock: FakeClock) -> AsyncIterator[GooglePlacesSource]:
    async with sources_of(outside.config, db, clock) as sources:
        yield sources.places


async def test_autocomplete_search_and_details_agree(outside: Outside, places: GooglePlacesSource) -> None:
    here = outside.places.put("Uchiko", AUSTIN, address="4200 N Lamar Blvd, Austin, TX, USA")
    suggestions = await places.autocomplete("Uchiko", NEAR)
    assert not isinstance(suggestions, Failure)
    assert [(one.place_id, one.name, one.distance_m) for one in suggestions] == [(here.id, "Uchiko", 0)]
    assert "Austin" in suggestions[0].description
    found = await places.search_text("Uchiko", NEAR)
    assert not isinstance(found, Failure)
    assert found == [await places.details(here.id)]
    assert (found[0].lat, found[0].lng) == (AUSTIN.lat, AUSTIN.lng)
    assert "restaurant" in found[0].types


async def test_a_bias_orders_and_does_not_filter(outside: Outside, places: GooglePlacesSource) -> None:
    outside.places.put("Uchiko", DALLAS, place_id="dallas")
    outside.places.put("Uchiko", AUSTIN, place_id="austin")
    for around, order in ((NEAR, ["austin", "dallas"]), (Around(DALLAS.lat, DALLAS.lng), ["dallas", "austin"])):
        found = await places.search_text("Uchiko", around)
        assert not isinstance(found, Failure)
        assert [place.place_id for place in found] == order


async def test_no_match_is_an_empty_list(places: GooglePlacesSource) -> None:
    assert await places.search_text("Nowhere", NEAR) == []
    assert await places.autocomplete("Nowhere", NEAR) == []


async def test_a_place_that_is_gone_is_a_failure(places: GooglePlacesSource) -> None:
    answer = await places.details("gone")
    assert isinstance(answer, Failure)
    assert answer.status == 404
    assert "NOT_FOUND" in answer.reason


async def test_the_radius_is_kept_within_what_places_allows(outside: Outside, places: GooglePlacesSource) -> None:
    for radius, sent in ((None, 5000.0), (0.0, 5000.0), (0.2, 1.0), (200_000.0, 50_000.0), (900.0, 900.0)):
        await places.search_text("x", Around(AUSTIN.lat, AUSTIN.lng, radius))
        assert outside.places.asked[-1].body["locationBias"]["circle"]["radius"] == sent


async def test_a_bad_key_and_no_key(
    outside: Outside, places: GooglePlacesSource, db: Database, clock: FakeClock
) -> None:
    outside.places.api_key = "changed"
    answer = await places.search_text("x", NEAR)
    assert isinstance(answer, Failure)
    assert (answer.fault, answer.status) == (Fault.CONFIGURATION, 403)
    assert "PERMISSION_DENIED" in answer.reason
    async with open_client(allow_private=True) as client:
        keyless = GooglePlacesSource(GooglePlaces(), client, db, clock)
        answer = await keyless.search_text("x", NEAR)
    assert isinstance(answer, Failure)
    assert "api_key" in answer.reason


async def test_the_simulator_wants_a_field_mask_and_answers_only_what_it_names(outside: Outside) -> None:
    outside.places.put("Uchiko", AUSTIN)
    url = outside.config.collect.google_places.base_url + "/v1/places:searchText"
    body = {"textQuery": "Uchiko"}
    key = {"X-Goog-Api-Key": outside.places.api_key}
    async with aiohttp.ClientSession() as session:
        async with session.post(url, json=body, headers=key) as refused:
            assert refused.status == 400
            assert (await refused.json())["error"]["status"] == "INVALID_ARGUMENT"
        async with session.post(url, json=body, headers={**key, "X-Goog-FieldMask": "places.id"}) as masked:
            assert await masked.json() == {"places": [{"id": "sim-0"}]}
        wide = {**body, "locationBias": {"circle": {"center": {}, "radius": 60_000}}}
        async with session.post(url, json=wide, headers={**key, "X-Goog-FieldMask": "*"}) as refused:
            assert refused.status == 400


async def test_the_daily_quota_is_counted_over_all_processes(outside: Outside, db: Database, clock: FakeClock) -> None:
    collect = outside.config.collect
    config = GooglePlaces(base_url=collect.google_places.base_url, api_key="sim-key", daily_quota=3)
    async with open_client(allow_private=True) as client:
        one = GooglePlacesSource(config, client, db, clock)
        two = GooglePlacesSource(config, client, db, clock)
        for source in (one, two, one):
            assert await source.search_text("x", NEAR) == []
        for source in (one, two):
            answer = await source.search_text("x", NEAR)
            assert isinstance(answer, Failure)
            assert (answer.fault, answer.reason) == (Fault.LIMITED, "daily_quota")
        assert len(outside.places.asked) == 3
        clock.advance(24 * 3600)
        assert await two.search_text("x", NEAR) == []


async def test_a_quota_of_theirs_is_a_limit(outside: Outside, places: GooglePlacesSource) -> None:
    outside.places.quota = 0
    answer = await places.search_text("x", NEAR)
    assert isinstance(answer, Failure)
    assert answer.fault is Fault.LIMITED
    assert "RESOURCE_EXHAUSTED" in answer.reason


BAD = [
    HTML,
    Trouble(200, b""),
    Trouble(200, b"[]"),
    Trouble(200, b"null"),
    Trouble(200, b'{"places":'),
    Trouble(200, b'{"places":7,"suggestions":7}'),
    Trouble(200, b'{"places":[null,{"id":1}],"suggestions":[null,{}]}'),
    Trouble(200, b'{"places":[', missing=10),
    Trouble(500),
]


@pytest.mark.parametrize("trouble", BAD, ids=range(len(BAD)))
async def test_a_bad_answer_is_a_failure_and_never_no_match(
    outside: Outside, places: GooglePlacesSource, trouble: Trouble
) -> None:
    outside.places.troubles.always(trouble)
    assert isinstance(await places.search_text("x", NEAR), Failure)
    assert isinstance(await places.autocomplete("x", NEAR), Failure)
    assert isinstance(await places.details("x"), Failure)


async def test_broken_places_are_left_out(outside: Outside, places: GooglePlacesSource) -> None:
    def place(place_id: Any, **fields: Any) -> dict[str, Any]:
        at = {"latitude": 30.0, "longitude": -97.0}
        return {"id": place_id, "displayName": {"text": "Uchi"}, "location": at, **fields}

    answers = [
        place("good", types=None, formattedAddress=None),
        place("good"),
        place("nowhere", location=None),
        place("offearth", location={"latitude": 91, "longitude": 0}),
        place("nameless", displayName={"text": None}),
        place("../x"),
        place(None),
        None,
    ]
    outside.places.troubles.always(Trouble(200, json.dumps({"places": answers}).encode()))
    found = await places.search_text("x", NEAR)
    assert not isinstance(found, Failure)
    assert [one.place_id for one in found] == ["good"]
