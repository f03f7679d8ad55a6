"""The HTTP face of demand: the contract's shapes, scopes, and every bad input."""

from __future__ import annotations

from typing import Any

import pytest

from api_client import Client, calling
from demand_harness import AUSTIN, DALLAS, World, around, wire
from dibs.demand.model import Outcome
from dibs.parts import Parts

SEARCH = {
    "query": "",
    "terms": [{"text": "Franklin Barbecue", "entity_type": "restaurant"}],
    "bounds": wire(around(AUSTIN)),
}


@pytest.fixture
async def world(parts: Parts) -> World:
    world = World(parts)
    await world.cities()
    return world


async def test_communities(parts: Parts) -> None:
    async with calling(parts) as admin, calling(parts, "read") as reader:
        body: dict[str, Any] = {"center": {"lat": 30.2672, "lng": -97.7431}, "active": True}
        made = await admin.put("/api/communities/AustinFood", body)
        assert made.status_code == 200
        assert made.json()["key"] == "austinfood"
        assert made.json()["safe_interval_days"] == 1
        by_hand = await admin.put("/api/communities/austinfood", body | {"posts_per_day": 25})
        assert by_hand.json()["safe_interval_days"] == 30
        kept = await admin.put("/api/communities/austinfood", body | {"active": False})
        assert (kept.json()["posts_per_day"], kept.json()["active"]) == (25, False)
        await admin.put("/api/communities/dallasfood", {"center": {"lat": 32.7, "lng": -96.8}, "active": True})
        listed = (await reader.get("/api/communities?limit=1")).json()
        assert [item["key"] for item in listed["items"]] == ["austinfood"]
        rest = (await reader.get(f"/api/communities?limit=1&cursor={listed['next_cursor']}")).json()
        assert ([item["key"] for item in rest["items"]], rest["next_cursor"]) == (["dallasfood"], None)
        assert (await reader.put("/api/communities/austinfood", body)).status_code == 403
        assert (await reader.get("/api/communities/nowhere")).status_code == 404


async def test_bad_communities(parts: Parts) -> None:
    async with calling(parts) as admin:
        good: dict[str, Any] = {"center": {"lat": 1, "lng": 1}, "active": True}
        for key in ("x", "a b", "ümlaut", "a" * 51, "a;b"):
            assert (await admin.put(f"/api/communities/{key}", good)).status_code == 422, key
        bad: list[Any] = [
            {},
            {"center": None},
            {"center": {"lat": 91, "lng": 0}},
            {"center": {"lat": 0, "lng": -181}},
            {"center": {"lat": "0", "lng": 0}},
            {"center": {"lat": True, "lng": 0}},
            {"center": {"lat": 0}},
            good | {"posts_per_day": -1},
            good | {"posts_per_day": 1e12},
            good | {"active": "yes"},
            good | {"unknown": 1},
            [],
            "text",
        ]
        for body in bad:
            refused = await admin.put("/api/communities/austinfood", body)
            assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request"), body


async def test_a_search_that_finds_nothing(world: World, parts: Parts) -> None:
    async with calling(parts, "read") as reader:
        found = (await reader.post("/api/search", SEARCH)).json()
        assert (found["restaurants"], found["foods"]) == ([], [])
        metadata = found["metadata"]
        assert (metadata["primary_count"], metadata["location_key"]) == (0, "austinfood")
        assert metadata["viewport_miles"] == pytest.approx(23.9, abs=0.2)
        target = metadata["on_demand"]["targets"][0]
        assert metadata["on_demand"] == {
            "queued": True,
            "eta_ms": 7_200_000,
            "message": "We're expanding results for Franklin Barbecue. Check back in about 2 hours.",
            "targets": [
                {
                    "term": "Franklin Barbecue",
                    "entity_type": "restaurant",
                    "reason": "unresolved",
                    "decision": "queued",
                    "request_id": target["request_id"],
                }
            ],
        }


async def test_a_search_that_finds_something(world: World, parts: Parts) -> None:
    franklin = await world.restaurant("Franklin Barbecue")
    await world.mentions(franklin, await world.entity("food", "brisket"), 2)
    async with calling(parts, "read") as reader:
        found = (await reader.post("/api/search", {"query": "brisket", "bounds": wire(around(AUSTIN))})).json()
        (restaurant,) = found["restaurants"]
        assert (restaurant["entity_id"], restaurant["type"]) == (franklin, "restaurant")
        assert restaurant["location"] == {"lat": AUSTIN.lat, "lng": AUSTIN.lng}
        assert restaurant["google_place_id"] == f"place-{franklin}"
        assert found["foods"][0]["restaurants"] == [franklin]
        suggestions = (await reader.get("/api/autocomplete?q=fran&lat=30.27&lng=-97.74")).json()
        assert [item["name"] for item in suggestions["items"]] == ["Franklin Barbecue"]
        assert suggestions["metadata"]["location_key"] == "austinfood"
        picked = await reader.post("/api/autocomplete/select", suggestions["items"][0] | {"bounds": SEARCH["bounds"]})
        assert picked.json()["restaurants"][0]["entity_id"] == franklin
        assert (await reader.post("/api/autocomplete/select", {"entity_id": 99})).status_code == 404


BAD_SEARCHES: list[Any] = [
    {},
    {"query": ""},
    {"query": 7},
    {"query": "x" * 501},
    {"query": "x", "terms": [{"text": "x", "entity_type": "cat"}]},
    {"query": "x", "terms": [{"text": "", "entity_type": "food"}]},
    {"query": "x", "terms": [{"text": "x", "entity_type": "food"}] * 17},
    {"query": "x", "terms": "x"},
    {"query": "x", "limit": 0},
    {"query": "x", "limit": 501},
    {"query": "x", "limit": "5"},
    {"query": "x", "limit": True},
    {"query": "x", "bounds": {"ne": {"lat": 1, "lng": 1}}},
    {"query": "x", "bounds": {"ne": {"lat": 0, "lng": 1}, "sw": {"lat": 1, "lng": 0}}},
    {"query": "x", "bounds": {"ne": {"lat": 1, "lng": 0}, "sw": {"lat": 0, "lng": 1}}},
    {"query": "x", "bounds": {"ne": {"lat": 90.01, "lng": 1}, "sw": {"lat": 0, "lng": 0}}},
    {"query": "x", "user_location": {"lat": 0, "lng": 180.5}},
    {"query": "x", "user_location": {"lat": None, "lng": 0}},
    {"query": "x", "user_location": {"lat": 10**400, "lng": 0}},
    {"query": "x", "unknown": 1},
    [],
    None,
]


async def refused(response_of: Any, what: object) -> None:
    response = await response_of
    assert response.status_code == 422, (what, response.text)
    assert response.json()["code"] == "invalid_request"
    assert response.headers["content-type"] == "application/problem+json"


async def test_bad_searches(world: World, parts: Parts) -> None:
    async with calling(parts, "read") as reader:
        for body in BAD_SEARCHES:
            await refused(reader.post("/api/search", body), body)
        for raw in (b"{", b'{"query": "x", "user_location": {"lat": NaN, "lng": 0}}', b'{"query": "\xff"}'):
            await refused(
                reader.request("POST", "/api/search", content=raw, headers={"content-type": "application/json"}), raw
            )
        for question in (
            "",
            "?q=x&lat=1",
            "?q=x&lat=1&lng=zzz",
            "?q=x&lat=nan&lng=1",
            "?q=x&lat=91&lng=1",
            "?q=x&ne_lat=1&ne_lng=1",
            "?q=x&ne_lat=0&ne_lng=1&sw_lat=1&sw_lng=0",
            "?q=x&limit=0",
            f"?q={'x' * 501}",
        ):
            await refused(reader.get(f"/api/autocomplete{question}"), question)
        for body in ({}, {"entity_id": "1"}, {"entity_id": 0}, {"entity_id": 2**63}, {"entity_id": True}):
            await refused(reader.post("/api/autocomplete/select", body), body)
        assert (await reader.get("/api/collection-requests")).json()["items"] == []


async def test_texts_that_no_column_takes_are_the_callers_mistake_or_harmless(world: World, parts: Parts) -> None:
    async with calling(parts, "read") as reader:
        for text in (b"a\\u0000b", b"\\ud800", b"\\u202e", b"\\\\"):
            raw = b'{"query": "%s"}' % text
            response = await reader.request(
                "POST", "/api/search", content=raw, headers={"content-type": "application/json"}
            )
            assert response.status_code in {200, 422}, text
        for path in ("/api/entities?q=%00", "/api/autocomplete?q=%00", "/api/entities?location_key=%00"):
            assert (await reader.get(path)).status_code in {200, 422}, path


async def _one(client: Client) -> dict[str, Any]:
    (item,) = (await client.get("/api/collection-requests")).json()["items"]
    return item


async def test_the_demand_list(world: World, parts: Parts) -> None:
    async with calling(parts) as admin, calling(parts, "read") as reader:
        await reader.post("/api/search", SEARCH)
        item = await _one(reader)
        contract = {
            "request_id", "term", "entity_type", "reason", "location_key", "run_location_key", "occurrence_count",
            "last_seen_at", "status", "last_outcome", "due_at", "cooldown_until", "sort_history", "attempted", "error",
        }  # fmt: skip
        assert contract <= set(item)
        assert (item["status"], item["last_outcome"], item["why_not"]) == ("queued", None, None)
        run = f"/api/collection-requests/{item['request_id']}/run"
        assert (await reader.post(run)).status_code == 403
        assert (await admin.post(run)).json()["status"] == "queued"
        await world.run_next(Outcome.NO_RESULTS)
        item = await _one(reader)
        assert (item["status"], item["last_outcome"], item["why_not"]) == ("completed", "no_results", "cooldown")
        assert item["cooldown_until"] == item["due_at"] == "2026-05-01T12:00:00Z"
        assert (await admin.post(run)).json()["status"] == "queued"
        await world.run_next(Outcome.ERROR, "Reddit answered 500")
        item = await _one(reader)
        assert (item["status"], item["error"]) == ("pending", "Reddit answered 500")
        assert item["cooldown_until"] == "2026-03-02T12:05:00Z"


async def test_filters_pages_and_missing_requests(world: World, parts: Parts) -> None:
    async with calling(parts) as admin:
        for at, name in ((AUSTIN, "One"), (AUSTIN, "Two"), (DALLAS, "Three")):
            body = {"terms": [{"text": name, "entity_type": "restaurant"}], "bounds": wire(around(at))}
            await admin.post("/api/search", body)
        await admin.post("/api/search", {"terms": [{"text": "Four", "entity_type": "restaurant"}]})

        async def terms(question: str) -> list[str]:
            answer = (await admin.get(f"/api/collection-requests{question}")).json()
            return sorted(item["term"] for item in answer["items"])

        assert await terms("?location_key=AustinFood") == ["One", "Two"]
        assert await terms("?status=pending") == ["Four"]
        assert await terms("?status=queued&location_key=dallasfood") == ["Three"]
        seen: list[str] = []
        cursor = ""
        while True:
            answer = (await admin.get(f"/api/collection-requests?limit=1{cursor}")).json()
            seen += [item["term"] for item in answer["items"]]
            if answer["next_cursor"] is None:
                break
            cursor = f"&cursor={answer['next_cursor']}"
        assert sorted(seen) == ["Four", "One", "Three", "Two"]
        four = next(
            item for item in (await admin.get("/api/collection-requests")).json()["items"] if item["term"] == "Four"
        )
        assert (four["due_at"], four["why_not"], four["location_key"]) == (None, "recorded_no_location", None)
        nowhere = await admin.post(f"/api/collection-requests/{four['request_id']}/run")
        assert (nowhere.status_code, nowhere.json()["code"]) == (409, "no_location")
        for path in ("/api/collection-requests/999", "/api/entities/999"):
            assert (await admin.get(path)).status_code == 404
        assert (await admin.post("/api/collection-requests/999/run")).status_code == 404
        for path in (
            "/api/collection-requests?status=gone",
            "/api/collection-requests?limit=501",
            "/api/collection-requests?cursor=zzz",
            "/api/collection-requests/abc",
            f"/api/collection-requests/{2**63}",
            "/api/entities?type=cat",
            "/api/entities?limit=0",
            "/api/entities?cursor=W10",
        ):
            await refused(admin.get(path), path)


async def test_entities(world: World, parts: Parts) -> None:
    uchi = await world.restaurant("Uchi")
    await world.restaurant("Uchiko", "dallasfood", DALLAS)
    sushi = await world.entity("food", "Sushi")
    async with calling(parts, "read") as reader:

        async def names(question: str) -> list[str]:
            return [item["name"] for item in (await reader.get(f"/api/entities{question}")).json()["items"]]

        assert await names("?q=UCHI") == ["Uchi", "Uchiko"]
        assert await names("?q=uchi&location_key=dallasfood") == ["Uchiko"]
        assert await names("?type=food") == ["Sushi"]
        one = (await reader.get(f"/api/entities/{uchi}")).json()
        assert (one["name"], one["location_key"], one["aliases"]) == ("Uchi", "austinfood", [])
        food = (await reader.get(f"/api/entities/{sushi}")).json()
        assert (food["location_key"], food["google_place_id"], food["location"]) == (None, None, None)


async def test_every_route_needs_a_token(parts: Parts) -> None:
    async with calling(parts, None) as nobody:
        for method, path in (
            ("POST", "/api/search"),
            ("GET", "/api/autocomplete?q=x"),
            ("POST", "/api/autocomplete/select"),
            ("GET", "/api/communities"),
            ("PUT", "/api/communities/austinfood"),
            ("GET", "/api/entities"),
            ("GET", "/api/collection-requests"),
            ("POST", "/api/collection-requests/1/run"),
        ):
            assert (await nobody.request(method, path, json={})).status_code == 401, path
