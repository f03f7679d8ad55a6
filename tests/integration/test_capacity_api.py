"""The HTTP face of capacity: shapes, codes, scopes, bad input."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from api_client import Client, calling
from capacity_harness import floor_document
from dibs.clock import FakeClock
from dibs.parts import Parts

# The same in every test process: it is part of the tests' names.
UNKNOWN = UUID("00000000-0000-4000-8000-000000000001")

START_AT = "2026-03-02T18:00:00Z"
ASK = {"restaurant": "blue-door", "party_size": 2, "start_at": START_AT}


@pytest.fixture
async def client(parts: Parts) -> AsyncIterator[Client]:
    async with calling(parts) as client:
        put = await client.put("/api/restaurants/blue-door/floor", floor_document())
        assert put.status_code == 200, put.text
        yield client


async def tables(client: Client) -> dict[str, str]:
    floor = (await client.get("/api/restaurants/blue-door/floor")).json()
    return {one["number"]: one["table_id"] for zone in floor["zones"] for one in zone["tables"]}


def is_problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(answer.json()) >= {"type", "title", "status", "detail", "code"}
    return answer.json()


async def test_the_floor_comes_back_as_it_was_sent(client: Client) -> None:
    floor = (await client.get("/api/restaurants/blue-door/floor")).json()
    sent = floor_document()
    assert floor["name"] == sent["name"]
    assert floor["service_periods"] == sent["service_periods"]
    assert [[one["number"] for one in zone["tables"]] for zone in floor["zones"]] == [
        ["A1", "A2", "A3", "A4"],
        ["G1", "G2"],
    ]
    assert {frozenset(pair) for pair in floor["adjacencies"]} == {frozenset(pair) for pair in sent["adjacencies"]}
    assert "state" not in floor["zones"][0]["tables"][0]
    again = await client.put("/api/restaurants/blue-door/floor", floor)
    assert again.status_code == 200
    assert again.json()["zones"] == floor["zones"]
    listed = (await client.get("/api/restaurants")).json()
    assert [one["slug"] for one in listed["items"]] == ["blue-door"]


async def test_every_problem_of_a_floor_is_told(client: Client) -> None:
    problem = is_problem(
        await client.put("/api/restaurants/other/floor", {"zones": [{"name": "x"}]}), 422, "invalid_request"
    )
    assert {one["field"] for one in problem["fields"]} == {"name", "timezone", "zones[0].tables"}
    for body in ([], "floor", 7, None):
        is_problem(await client.put("/api/restaurants/other/floor", body), 422, "invalid_request")
    is_problem(await client.get("/api/restaurants/other/floor"), 404, "not_found")


async def test_quote_confirm_and_look(client: Client) -> None:
    quoted = (await client.post("/api/staff/auto/quote", ASK)).json()
    assert set(quoted) >= {
        "hold_id", "expires_at", "window", "zone_id", "candidate", "alternates", "next_times", "reason", "skipped",
    }  # fmt: skip
    assert set(quoted["candidate"]) >= {
        "table_ids", "table_numbers", "total_capacity", "table_count", "overage", "adjacency_status", "score",
    }  # fmt: skip
    assert quoted["window"] == {"start_at": START_AT, "end_at": "2026-03-02T19:05:00Z"}
    assert quoted["next_times"][0] == "2026-03-02T18:15:00Z"
    assert quoted["candidate"]["adjacency_status"] == "single"
    assert quoted["reason"] is None
    held = (await client.get("/api/holds")).json()["items"]
    assert [one["hold_id"] for one in held] == [quoted["hold_id"]]
    at = await client.get("/api/restaurants/blue-door/floor", params={"at": START_AT})
    states = {one["number"]: one["state"] for zone in at.json()["zones"] for one in zone["tables"]}
    assert states == {"A1": "held", "A2": "free", "A3": "free", "A4": "free", "G1": "free", "G2": "free"}
    body = {"hold_id": quoted["hold_id"], "guest": {"name": "Ada"}}
    key = {"Idempotency-Key": "k1"}
    confirmed = await client.post("/api/staff/auto/confirm", body, headers=key)
    assert confirmed.status_code == 200, confirmed.text
    assert set(confirmed.json()) == {"booking_id", "merge_group_id", "assignments"}
    assert confirmed.json()["merge_group_id"] is None
    assert confirmed.json()["assignments"] == [{"table_id": quoted["candidate"]["table_ids"][0], **quoted["window"]}]
    assert (await client.post("/api/staff/manual/confirm", body, headers=key)).json() == confirmed.json()
    is_problem(
        await client.post("/api/staff/auto/confirm", body, headers={"Idempotency-Key": "k2"}), 409, "hold_conflict"
    )
    booking = (await client.get(f"/api/bookings/{confirmed.json()['booking_id']}")).json()
    assert booking["status"] == "confirmed"
    assert booking["window"] == {"start_at": START_AT, "end_at": "2026-03-02T19:00:00Z"}
    assert booking["service_date"] == "2026-03-02"
    assert booking["assignments"][0]["table_id"] == quoted["candidate"]["table_ids"][0]


async def test_nothing_fits_is_an_answer(client: Client) -> None:
    quoted = await client.post("/api/staff/auto/quote", {**ASK, "party_size": 40})
    assert quoted.status_code == 200
    assert (quoted.json()["candidate"], quoted.json()["hold_id"]) == (None, None)
    assert quoted.json()["reason"] == "insufficient_capacity"
    nobody = await client.post("/api/staff/auto/quote", {**ASK, "party_size": 0})
    assert nobody.json()["reason"] == "invalid_party_size"
    apart = await client.post("/api/staff/auto/quote", {**ASK, "party_size": 8, "require_adjacency": True})
    assert apart.json()["reason"] == "not_adjacent"


async def test_bookings_from_local_times(client: Client) -> None:
    london = floor_document(
        timezone="Europe/London", service_periods=[{"name": "all", "start": "00:00", "end": "23:59"}]
    )
    await client.put("/api/restaurants/late/floor", london)
    summer = await client.post(
        "/api/bookings", {"restaurant": "late", "party_size": 2, "date": "2026-07-01", "time": "19:30"}
    )
    assert summer.status_code == 201
    assert summer.json()["status"] == "pending"
    assert summer.json()["window"]["start_at"] == "2026-07-01T18:30:00Z"
    midnight = await client.post(
        "/api/bookings", {"restaurant": "late", "party_size": 2, "start_at": "2026-07-01T23:30:00Z"}
    )
    assert midnight.json()["service_date"] == "2026-07-02"
    gap = {"restaurant": "late", "party_size": 2, "date": "2026-03-29", "time": "01:30"}
    is_problem(await client.post("/api/bookings", gap), 422, "invalid_start")
    closed = {"restaurant": "blue-door", "party_size": 2, "date": "2026-03-29", "time": "12:00"}
    is_problem(await client.post("/api/bookings", closed), 422, "no_service")
    is_problem(await client.post("/api/staff/auto/quote", {**closed}), 422, "no_service")


async def test_manual_validate_hold_and_assign(client: Client) -> None:
    ids = await tables(client)
    body = {**ASK, "party_size": 4, "table_ids": [ids["A1"], ids["A3"]], "require_adjacency": True}
    checks = (await client.post("/api/staff/manual/validate", body)).json()
    assert checks["ok"] is False
    assert {name: one["ok"] for name, one in checks["checks"].items()} == {
        "same_zone": True,
        "movable_for_merge": True,
        "adjacency": False,
        "conflict": True,
        "capacity_enough": True,
        "active": True,
    }
    is_problem(await client.post("/api/staff/manual/hold", body), 422, "not_adjacent")
    held = await client.post("/api/staff/manual/hold", {**body, "require_adjacency": False})
    assert held.status_code == 200
    assert held.json()["candidate"]["adjacency_status"] == "disconnected"
    checks = (await client.post("/api/staff/manual/validate", body)).json()
    assert checks["checks"]["conflict"]["ok"] is False
    is_problem(
        await client.post("/api/staff/manual/hold", {**body, "require_adjacency": False}), 409, "capacity_conflict"
    )
    unknown = await client.post("/api/staff/manual/validate", {**body, "table_ids": [str(uuid4())]})
    assert unknown.json()["checks"]["active"]["ok"] is False
    booking = (await client.post("/api/bookings", ASK)).json()["booking_id"]
    key = {"Idempotency-Key": "k"}
    taken = {"table_ids": [ids["A1"]]}
    is_problem(await client.post(f"/api/bookings/{booking}/assign", taken, headers=key), 409, "capacity_conflict")
    assert (await client.delete(f"/api/holds/{held.json()['hold_id']}")).status_code == 204
    assigned = await client.post(f"/api/bookings/{booking}/assign", taken, headers=key)
    assert assigned.status_code == 200
    assert assigned.json()["booking_id"] == booking
    other = {"table_ids": [ids["A2"]]}
    is_problem(await client.post(f"/api/bookings/{booking}/assign", other, headers=key), 409, "idempotency_mismatch")
    assert (await client.delete(f"/api/bookings/{booking}/assignments")).status_code == 204
    assert (await client.get(f"/api/bookings/{booking}")).json()["assignments"] == []
    assert (await client.post(f"/api/bookings/{booking}/cancel")).json()["status"] == "cancelled"
    is_problem(await client.post(f"/api/bookings/{booking}/assign", other), 409, "inactive_booking")


async def test_extend_and_expire(client: Client, clock: FakeClock) -> None:
    hold_id = (await client.post("/api/staff/auto/quote", {**ASK, "hold_ttl_seconds": 30})).json()["hold_id"]
    extended = await client.post(f"/api/holds/{hold_id}/extend", {"seconds": 60})
    assert extended.json()["expires_at"] == "2026-03-02T12:01:00Z"
    clock.advance(60)
    is_problem(await client.post("/api/staff/auto/confirm", {"hold_id": hold_id}), 410, "hold_expired")
    is_problem(await client.post(f"/api/holds/{hold_id}/extend", {"seconds": 60}), 410, "hold_expired")
    assert (await client.get("/api/holds")).json()["items"] == []


async def test_lists_have_pages(client: Client) -> None:
    for _ in range(4):
        await client.post("/api/staff/auto/quote", ASK)
        await client.post("/api/bookings", ASK)
    for path, key in [("/api/holds", "hold_id"), ("/api/bookings", "booking_id")]:
        first = (await client.get(path, params={"limit": 3, "restaurant": "blue-door"})).json()
        rest = (await client.get(path, params={"limit": 3, "cursor": first["next_cursor"]})).json()
        assert rest["next_cursor"] is None
        assert len({one[key] for one in first["items"] + rest["items"]}) == 4
        is_problem(await client.get(path, params={"cursor": "x"}), 422, "invalid_request")
        is_problem(await client.get(path, params={"limit": 501}), 422, "invalid_request")
    day = await client.get("/api/bookings", params={"service_date": "2026-03-03"})
    assert day.json()["items"] == []
    window = {"start_at": START_AT, "end_at": "2026-03-02T19:00:00Z"}
    taken = (await client.get("/api/restaurants/blue-door/claims", params=window)).json()["items"]
    assert {one["resource_type"] for one in taken} == {"hold"}


LOCAL = {"restaurant": "blue-door", "party_size": 2, "date": "2026-03-02"}


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/api/staff/auto/quote", {}, 422, "invalid_request"),
        ("/api/staff/auto/quote", {**ASK, "start_at": "18:00"}, 422, "invalid_request"),
        ("/api/staff/auto/quote", {**ASK, "start_at": "2026-03-02T18:00:00"}, 422, "invalid_request"),
        ("/api/staff/auto/quote", {**ASK, "party_size": "many"}, 422, "invalid_request"),
        ("/api/staff/auto/quote", {**ASK, "party_size": True}, 422, "invalid_request"),
        ("/api/staff/auto/quote", {**ASK, "party_size": "2"}, 422, "invalid_request"),
        ("/api/staff/auto/quote", {**ASK, "require_adjacency": "yes"}, 422, "invalid_request"),
        ("/api/bookings", {**LOCAL, "time": 68400}, 422, "invalid_request"),
        ("/api/bookings", {**LOCAL, "time": "19:00+05:00"}, 422, "invalid_request"),
        ("/api/staff/auto/quote", {**ASK, "max_tables": 6}, 422, "invalid_request"),
        ("/api/staff/auto/quote", {**ASK, "hold_ttl_seconds": 10}, 422, "invalid_request"),
        ("/api/staff/auto/quote", {**ASK, "require_adjacancy": True}, 422, "invalid_request"),
        ("/api/staff/auto/quote", {**ASK, "date": "2026-03-02", "time": "18:00"}, 422, "invalid_request"),
        ("/api/staff/auto/quote", {**ASK, "start_at": "9999-12-31T23:59:59Z"}, 422, "invalid_start"),
        ("/api/staff/auto/quote", {**ASK, "restaurant": "nowhere"}, 404, "not_found"),
        ("/api/staff/auto/quote", {**ASK, "zone_id": str(UNKNOWN)}, 404, "not_found"),
        ("/api/staff/auto/quote", {**ASK, "zone_id": "garden"}, 404, "not_found"),
        ("/api/staff/auto/quote", {"booking_id": str(UNKNOWN)}, 404, "not_found"),
        ("/api/staff/auto/confirm", {"hold_id": str(UNKNOWN)}, 404, "not_found"),
        ("/api/staff/auto/confirm", {"hold_id": "h1"}, 404, "not_found"),
        ("/api/staff/auto/confirm", {}, 422, "invalid_request"),
        ("/api/staff/manual/hold", {**ASK, "table_ids": []}, 422, "invalid_request"),
        ("/api/staff/manual/hold", {**ASK, "table_ids": ["A1"]}, 404, "not_found"),
        ("/api/bookings", {**ASK, "party_size": 0}, 422, "invalid_request"),
        ("/api/bookings", {**ASK, "guest": "Ada"}, 422, "invalid_request"),
        ("/api/bookings", {**ASK, "guest": {"name": "a\x00b"}}, 422, "invalid_request"),
        (f"/api/bookings/{UNKNOWN}/assign", {"table_ids": [str(UNKNOWN)]}, 404, "not_found"),
        (f"/api/bookings/{UNKNOWN}/cancel", None, 404, "not_found"),
        ("/api/bookings/7/cancel", None, 404, "not_found"),
        (f"/api/bookings/{UNKNOWN}/status", {"status": "eaten"}, 422, "invalid_request"),
        (f"/api/holds/{UNKNOWN}/extend", {"seconds": 60}, 404, "not_found"),
        (f"/api/holds/{UNKNOWN}/extend", {"seconds": 601}, 422, "invalid_request"),
    ],
)
async def test_bad_input_is_named(client: Client, path: str, body: Any, status: int, code: str) -> None:
    is_problem(await client.post(path, body), status, code)


async def test_scopes(parts: Parts) -> None:
    for scope, put, read, quote in [(None, 401, 401, 401), ("read", 403, 404, 403), ("staff", 403, 404, 404)]:
        async with calling(parts, scope) as caller:
            assert (await caller.put("/api/restaurants/x/floor", floor_document())).status_code == put
            assert (await caller.get("/api/restaurants/x/floor")).status_code == read
            assert (await caller.post("/api/staff/auto/quote", {**ASK, "restaurant": "x"})).status_code == quote
            assert (await caller.get("/api/holds")).status_code == (quote if scope != "staff" else 200)


async def test_openapi_knows_the_shapes(client: Client) -> None:
    document = (await client.get("/openapi.json")).json()
    for path in ("/api/staff/auto/quote", "/api/restaurants/{slug}/floor", "/api/holds/{hold_id}/extend"):
        assert path in document["paths"]
    assert "candidate" in document["components"]["schemas"]["QuoteAnswer"]["properties"]
