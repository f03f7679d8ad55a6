"""Own inventory over HTTP: every route, its scope, its refusals."""

from __future__ import annotations

from datetime import date
from typing import Any

import psycopg
import pytest

from api_client import Client, calling
from dibs.clock import FakeClock
from dibs.parts import Parts
from dibs.signals.read import list_dates_of_products
from signals_harness import URL, body, run_sql

ON_DAY = f"{URL}/dates/2026-03-12"


async def allocated(client: Client, quantity: int, reference: str = "r1") -> dict[str, Any]:
    answer = await client.post(f"{ON_DAY}/allocate", {"quantity": quantity, "reference": reference})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def one_date(client: Client, **query: Any) -> dict[str, Any]:
    answer = await client.get(f"{URL}/dates", params={"from": "2026-03-12", "to": "2026-03-12", **query})
    assert answer.status_code == 200, answer.text
    (item,) = answer.json()["items"]
    return item


async def test_a_product_is_put_read_and_listed(parts: Parts) -> None:
    async with calling(parts) as client:
        made = (await client.put(URL, body("tiered"))).json()
        assert (made["created"], made["seeded"], made["kept"]) == (True, 10, 0)
        assert made["product_key"] == "parks::camping::lake::site-a"
        again = (await client.put(URL, body("tiered", range_end="2026-03-12"))).json()
        assert (again["created"], again["seeded"], again["removed"]) == (False, 0, 7)
        read = (await client.get(URL)).json()
        assert read["availability_estimation_pattern"]["tiers"][0] == {
            "id": "full",
            "label": "Full",
            "max_percentage": 0.0,
        }
        listed = (await client.get("/api/products", params={"collection_id": "parks"})).json()
        assert listed == {"items": [read], "next_cursor": None}
        assert (await client.get("/api/products", params={"collection_id": "x"})).json()["items"] == []


async def test_dates_carry_value_age_state_and_version(parts: Parts, clock: FakeClock) -> None:
    async with calling(parts) as client:
        await client.put(URL, body("tiered"))
        clock.advance(90)
        assert await one_date(client) == {
            "date": "2026-03-12",
            "value": "high",
            "tier": "high",
            "available": 10,
            "capacity": 10,
            "reason": None,
            "last_updated_at": "2026-03-02T12:00:00.000000Z",
            "age_s": 90.0,
            "state": "clean",
            "version": 1,
        }
        await allocated(client, 9)
        cached = await one_date(client)
        assert (cached["value"], cached["state"], cached["version"]) == ("high", "dirty", 1)
        fresh = await one_date(client, fresh=True)
        assert (fresh["value"], fresh["available"], fresh["age_s"], fresh["state"]) == ("low", 1, 0.0, "clean")
        ticked = (await client.post("/api/cadences/5min/tick")).json()
        assert ticked == {"cadence": "5min", "checked": 1, "estimated": 1, "changed": 1, "skipped": 0}
        cached = await one_date(client)
        assert (cached["value"], cached["state"], cached["version"], cached["age_s"]) == ("low", "clean", 2, 0.0)


async def test_exact_shows_a_number_and_no_tier(parts: Parts) -> None:
    async with calling(parts) as client:
        await client.put(URL, body())
        item = await one_date(client)
    assert (item["value"], item["tier"]) == (10, None)


async def test_fresh_is_for_staff(parts: Parts) -> None:
    async with calling(parts) as admin:
        await admin.put(URL, body())
    async with calling(parts, "read") as reader:
        assert (await reader.get(f"{URL}/dates")).status_code == 200
        assert (await reader.get(f"{URL}/dates?fresh=true")).status_code == 403
    async with calling(parts, "staff") as staff:
        assert (await staff.get(f"{URL}/dates?fresh=true")).status_code == 200


async def test_dates_come_in_pages(parts: Parts) -> None:
    async with calling(parts) as client:
        await client.put(URL, body())
        seen: list[str] = []
        cursor = None
        while True:
            query = {"from": "2026-03-01", "limit": 4} | ({"cursor": cursor} if cursor else {})
            answer = (await client.get(f"{URL}/dates", params=query)).json()
            seen += [item["date"] for item in answer["items"]]
            cursor = answer["next_cursor"]
            if cursor is None:
                break
    assert seen == [f"2026-03-{day}" for day in range(10, 20)]


async def test_an_allocation_is_named_by_its_reference(parts: Parts) -> None:
    async with calling(parts, "staff") as client:
        await client.put(URL, body())
        made = await allocated(client, 4)
        assert (made["state"], made["quantity"], made["released_at"]) == ("allocated", 4, None)
        assert await allocated(client, 4) == made
        other = await client.post(f"{ON_DAY}/allocate", {"quantity": 5, "reference": "r1"})
        assert (other.status_code, other.json()["code"]) == (409, "reference_mismatch")
        much = await client.post(f"{ON_DAY}/allocate", {"quantity": 7, "reference": "r2"})
        assert (much.status_code, much.json()["code"], much.json()["available"]) == (409, "insufficient_inventory", 6)
        assert (await allocated(client, 6, "r3"))["quantity"] == 6
        assert await run_sql(parts.db, "SELECT allocated FROM product_date WHERE date = '2026-03-12'") == [(10,)]


async def test_a_release_gives_back_once(parts: Parts) -> None:
    async with calling(parts, "staff") as client:
        await client.put(URL, body())
        await allocated(client, 4)
        wrong = await client.post(f"{ON_DAY}/release", {"quantity": 3, "reference": "r1"})
        assert (wrong.status_code, wrong.json()["code"]) == (409, "reference_mismatch")
        back = await client.post(f"{ON_DAY}/release", {"quantity": 4, "reference": "r1"})
        assert (back.status_code, back.json()["state"]) == (200, "released")
        assert (await client.post(f"{ON_DAY}/release", {"reference": "r1"})).json() == back.json()
        late = await allocated(client, 4)
        assert late["state"] == "released"
        assert await run_sql(parts.db, "SELECT allocated FROM product_date WHERE date = '2026-03-12'") == [(0,)]
        unknown = await client.post(f"{ON_DAY}/release", {"reference": "never"})
        assert unknown.status_code == 404


async def test_one_date_can_have_a_capacity_of_its_own(parts: Parts) -> None:
    async with calling(parts, "staff") as client:
        await client.put(URL, body())
        await allocated(client, 4)
        answer = await client.patch(ON_DAY, {"capacity": 2})
        assert answer.json() == {"date": "2026-03-12", "capacity": 2, "allocated": 4}
        await client.post("/api/cadences/5min/tick")
        item = await one_date(client)
        assert (item["value"], item["reason"]) == (0, "over_allocated")
        assert (await client.patch(ON_DAY, {"capacity": None})).json()["capacity"] == 10
        assert (await client.patch(f"{URL}/dates/2027-01-01", {"capacity": 2})).status_code == 404


async def test_signals_have_the_shape_of_their_document(parts: Parts) -> None:
    async with calling(parts) as client:
        await client.put(URL, body("tiered"))
        await allocated(client, 10)
        (dirty,) = (await client.get("/api/signals?cadence=5min&state=dirty")).json()["items"]
        assert list(dirty) == [
            "pk",
            "sk",
            "gsipk",
            "gsisk",
            "schema",
            "global_id",
            "value",
            "last_updated_at",
            "availability_estimation_pattern",
            "expiry",
        ]
        assert dirty["pk"] == "availabilitySignal::parks::camping::lake::site-a"
        assert (dirty["sk"], dirty["gsipk"], dirty["gsisk"]) == ("2026-03-12", "5min", "dirty")
        assert (dirty["schema"], dirty["value"]) == ("availabilitySignal", "high")
        assert dirty["expiry"] == "2026-03-13T04:00:00Z"
        assert (await client.get(f"/api/signals/{dirty['global_id']}")).json() == dirty
        clean = (await client.get("/api/signals?cadence=5min&state=clean")).json()["items"]
        assert len(clean) == 9
        assert len((await client.get("/api/signals")).json()["items"]) == 10
        assert (await client.get("/api/signals?cadence=1min")).json()["items"] == []
        assert (await client.get("/api/signals?cadence=1min&state=dirty")).json()["items"] == []


@pytest.mark.parametrize("state", ["dirty", "clean", None])
async def test_signals_come_in_pages(parts: Parts, state: str | None) -> None:
    async with calling(parts) as client:
        for number in range(2):
            await client.put(f"/api/products/parks/camping/lake/site-{number}", body())
        if state == "dirty":
            await run_sql(parts.db, "UPDATE product_date SET capacity = 3")
        seen: list[tuple[str, str]] = []
        query: dict[str, Any] = {"limit": 7} | ({"state": state} if state else {})
        while True:
            answer = (await client.get("/api/signals", params=query)).json()
            seen += [(item["pk"], item["sk"]) for item in answer["items"]]
            if answer["next_cursor"] is None:
                break
            query["cursor"] = answer["next_cursor"]
    assert len(seen) == len(set(seen)) == 20


async def test_a_collection_is_read_at_once(parts: Parts) -> None:
    async with calling(parts) as client:
        for number in range(3):
            await client.put(f"/api/products/parks/camping/lake/site-{number}", body("tiered"))
        await client.put("/api/products/other/camping/lake/site", body())
        answer = (await client.get("/api/products/parks/dates?from=2026-03-10&to=2026-03-11&limit=2")).json()
        assert [item["product_key"][-1] for item in answer["items"]] == ["0", "1"]
        assert [day["value"] for day in answer["items"][0]["dates"]] == ["high", "high"]
        rest = await client.get(
            f"/api/products/parks/dates?from=2026-03-10&to=2026-03-11&cursor={answer['next_cursor']}"
        )
        assert [item["product_key"][-1] for item in rest.json()["items"]] == ["2"]


async def test_cadences_show_their_last_tick(parts: Parts) -> None:
    async with calling(parts) as client:
        await client.post("/api/cadences/5min/tick")
        (cadence,) = (await client.get("/api/cadences")).json()["items"]
        assert (cadence["cadence_id"], cadence["last_checked"]) == ("5min", 0)
        missing = await client.post("/api/cadences/hourly/tick")
        assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


BAD_BODIES: list[tuple[str, Any]] = [
    ("name", body(name="")),
    ("name", body(name="a\u0000b")),
    ("timezone", body(timezone="Nowhere/Land")),
    ("capacity", body(capacity=-1)),
    ("capacity", body(capacity=1.5)),
    ("capacity", body(capacity="10")),
    ("capacity", body(capacity=True)),
    ("capacity", body(capacity=None)),
    ("range_end", body(range_end="2026-03-09")),
    ("range_end", body(range_end="2026-02-30")),
    ("range_start", body(range_start=None)),
    ("estimation_mode", body(mode="guess")),
    ("tiers", body() | {"availability_estimation_pattern": {"estimation_mode": "tiered", "cadence": {"id": "5min"}}}),
    ("cadence", body() | {"availability_estimation_pattern": {"estimation_mode": "exact", "cadence": {"id": "2h"}}}),
    ("availability_estimation_pattern", body(availability_estimation_pattern=None)),
    ("body", []),
]


async def test_a_bad_product_is_refused_and_the_field_named(parts: Parts) -> None:
    async with calling(parts) as client:
        for field, document in BAD_BODIES:
            answer = await client.put(URL, document)
            assert answer.status_code == 422, (field, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
            assert field in answer.text, (field, answer.text)
        assert (await client.put("/api/products/a::b/c/d/e", body())).status_code == 422
        assert (await client.put("/api/products/a%00/c/d/e", body())).status_code == 422
        assert await run_sql(parts.db, "SELECT 1 FROM product") == []


BAD_REQUESTS: list[tuple[str, str, Any, int]] = [
    ("POST", f"{ON_DAY}/allocate", {"quantity": 0, "reference": "r"}, 422),
    ("POST", f"{ON_DAY}/allocate", {"quantity": -1, "reference": "r"}, 422),
    ("POST", f"{ON_DAY}/allocate", {"quantity": 10**12, "reference": "r"}, 422),
    ("POST", f"{ON_DAY}/allocate", {"quantity": 1}, 422),
    ("POST", f"{ON_DAY}/allocate", {"quantity": 1, "reference": ""}, 422),
    ("POST", f"{ON_DAY}/allocate", {"quantity": 1, "reference": "a\u0000"}, 422),
    ("POST", f"{ON_DAY}/release", {}, 422),
    ("POST", f"{URL}/dates/2026-99-99/allocate", {"quantity": 1, "reference": "r"}, 422),
    ("POST", f"{URL}/dates/2027-03-12/allocate", {"quantity": 1, "reference": "r"}, 404),
    ("POST", "/api/products/a/b/c/d/dates/2026-03-12/allocate", {"quantity": 1, "reference": "r"}, 404),
    ("PATCH", ON_DAY, {"capacity": -1}, 422),
    ("PATCH", ON_DAY, {}, 422),
    ("GET", "/api/products/a/b/c/d", None, 404),
    ("GET", "/api/products/a/b/c/d/dates", None, 404),
    ("GET", f"{URL}/dates?from=2026-03-12&to=2026-03-11", None, 422),
    ("GET", f"{URL}/dates?from=soon", None, 422),
    ("GET", f"{URL}/dates?from=20260312", None, 422),
    ("GET", f"{URL}/dates?to=2026-02-30", None, 422),
    ("GET", f"{URL}/dates?fresh=perhaps", None, 422),
    ("GET", f"{URL}/dates?limit=501", None, 422),
    ("GET", f"{URL}/dates?limit=0", None, 422),
    ("GET", f"{URL}/dates?limit=²", None, 422),
    ("GET", f"{URL}/dates?cursor={'x' * 501}", None, 422),
    ("GET", "/api/products/a::b/b/c/d/dates", None, 422),
    ("GET", f"{URL}/dates?cursor=nonsense", None, 422),
    ("GET", f"{URL}/dates?from=9999-12-31", None, 422),
    ("GET", "/api/signals?state=muddy", None, 422),
    ("GET", "/api/signals?cursor=nonsense", None, 422),
    ("GET", "/api/signals/not-a-uuid", None, 422),
    ("GET", "/api/signals/00000000-0000-0000-0000-000000000000", None, 404),
]


async def test_bad_requests_are_refused(parts: Parts) -> None:
    async with calling(parts) as client:
        await client.put(URL, body())
        for method, path, document, status in BAD_REQUESTS:
            answer = await client.request(method, path, json=document)
            assert answer.status_code == status, (method, path, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"


SCOPES: list[tuple[str, str, Any, str]] = [
    ("PUT", URL, body(), "staff"),
    ("POST", f"{ON_DAY}/allocate", {"quantity": 1, "reference": "r"}, "staff"),
    ("POST", f"{ON_DAY}/release", {"reference": "r"}, "staff"),
    ("PATCH", ON_DAY, {"capacity": 3}, "staff"),
    ("POST", "/api/cadences/5min/tick", None, "staff"),
    ("GET", URL, None, "read"),
    ("GET", f"{URL}/dates", None, "read"),
    ("GET", "/api/products", None, "read"),
    ("GET", "/api/products/parks/dates", None, "read"),
    ("GET", "/api/signals", None, "read"),
    ("GET", "/api/cadences", None, "read"),
]


async def test_every_route_needs_its_scope(parts: Parts) -> None:
    async with calling(parts, None) as nobody, calling(parts, "read") as reader, calling(parts, "staff") as staff:
        for method, path, document, scope in SCOPES:
            assert (await nobody.request(method, path, json=document)).status_code == 401, path
            expected = 403 if scope == "staff" else 404 if path == URL else None
            answer = await reader.request(method, path, json=document)
            assert answer.status_code == 403 if expected == 403 else answer.status_code in (200, 404), path
            assert (await staff.request(method, path, json=document)).status_code in (200, 404, 409), path


async def test_a_month_of_a_thousand_products_is_one_statement(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    await run_sql(
        parts.db,
        "INSERT INTO product (collection_id, activity_type, activity_id, product_id, name, timezone, capacity, "
        "range_start, range_end, pattern, cadence_id, created_at, updated_at) "
        "SELECT 'big', 't', 'a', 'p' || lpad(n::text, 4, '0'), 'P', 'UTC', 5, '2026-03-10', '2026-03-11', '{}', "
        "'5min', now(), now() FROM generate_series(1, 1000) AS n",
    )
    await run_sql(
        parts.db,
        "INSERT INTO product_date (product_no, date, capacity) "
        "SELECT product_no, day::date, 5 FROM product, "
        "generate_series('2026-03-10'::timestamp, '2026-03-11', interval '1 day') AS day",
    )
    statements: list[bytes] = []
    execute = psycopg.AsyncCursor.execute

    async def counted(cursor: Any, query: Any, *rest: Any, **options: Any) -> Any:
        statements.append(query)
        return await execute(cursor, query, *rest, **options)

    monkeypatch.setattr(psycopg.AsyncCursor, "execute", counted)
    month = (date(2026, 3, 1), date(2026, 3, 31))
    found = await list_dates_of_products(parts.db, parts.clock, "big", *month, after="", limit=1000)
    assert len(found) == 1000
    assert sum(len(product.dates) for product in found) == 2000
    assert len(statements) == 1
