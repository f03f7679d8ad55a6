"""What every route shares: problems, limits, OpenAPI, health."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import psycopg
import pytest
from fastapi import Request

from api_client import calling
from dibs.api import build_api, limits
from dibs.db import fetch_value
from dibs.parts import Parts


async def test_alive_and_ready(parts: Parts) -> None:
    async with calling(parts, None) as client:
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        assert (await client.get("/readyz")).status_code == 200
        async with parts.db.connection() as connection:
            await connection.execute(b"DELETE FROM schema_migration WHERE number = 1")
        answer = await client.get("/readyz")
    assert (answer.status_code, answer.json()["code"]) == (503, "not_migrated")


async def test_an_unknown_route_and_a_wrong_method_are_problems(parts: Parts) -> None:
    async with calling(parts) as client:
        missing = await client.get("/api/nope")
        wrong = await client.delete("/api/openings")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert wrong.headers["content-type"] == "application/problem+json"


async def test_a_body_over_one_mebibyte_is_refused(parts: Parts) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(1100):
            yield b"x" * 1024

    async with calling(parts) as client:
        known = await client.request("POST", "/api/openings", content=b"x" * (1024 * 1024 + 1))
        streamed = await client.request("POST", "/api/test-echo", content=chunks())
    assert (known.status_code, known.json()["code"]) == (413, "too_large")
    assert streamed.status_code in {404, 413}


async def test_a_streamed_body_is_counted_as_it_comes(parts: Parts) -> None:
    api = build_api(parts)

    @api.post("/api/length")
    async def length(request: Request) -> int:
        return len(await request.body())

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(1100):
            yield b"x" * 1024

    transport = httpx.ASGITransport(app=api)
    async with httpx.AsyncClient(transport=transport, base_url="http://dibs.test") as http:
        assert (await http.post("/api/length", content=b"abc")).json() == 3
        assert (await http.post("/api/length", content=chunks())).status_code == 413


async def test_a_streamed_body_that_is_parsed_is_counted_too(parts: Parts) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b'{"provider": "'
        for _ in range(1100):
            yield b"x" * 1024

    async with calling(parts) as client:
        answer = await client.request("POST", "/api/watches", content=chunks())
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert answer.headers["content-type"] == "application/problem+json"


def test_looks_and_streams_are_not_cut_short() -> None:
    assert limits.takes_its_time("/api/openings/stream")
    assert limits.takes_its_time("/api/watches/resy:2026-02-28_20:30/poll")
    assert limits.takes_its_time("/api/watches/camps:a/b/baseline")
    assert not limits.takes_its_time("/api/watches/camps:a")
    assert not limits.takes_its_time("/api/search")


HOLD = b"0190e5c2-7b1a-7c3d-8e4f-000000000001"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/staff/auto/confirm", b'{"hold_id": "%s", "guest": {"name": "\\ud800"}}' % HOLD),
        ("PUT", "/api/restaurants/x/floor", b'{"name": "\\ud800", "timezone": "UTC", "zones": []}'),
        ("PUT", "/api/restaurants/x/floor", b'{"\\ud800": 1}'),
        ("POST", "/api/watches", b'{"provider": "a", "query": {}, "policy": {"open_rule": "\\ud800"}}'),
        ("POST", "/api/subscriptions", b'{"topic": "\\ud800", "channel": "email", "address": "a@example.org"}'),
        ("POST", "/api/search", b'{"query": "\\ud800"}'),
    ],
)
async def test_half_a_character_is_a_mistake_of_the_caller(parts: Parts, method: str, path: str, body: bytes) -> None:
    async with calling(parts) as client:
        headers = {"Content-Type": "application/json", "Idempotency-Key": "k"}
        answer = await client.request(method, path, content=body, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request"), answer.text


async def test_a_mistake_of_ours_is_a_500_without_its_insides(parts: Parts) -> None:
    api = build_api(parts)

    @api.get("/api/broken")
    async def broken() -> None:
        raise RuntimeError("secret")

    transport = httpx.ASGITransport(app=api, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://dibs.test") as http:
        answer = await http.get("/api/broken")
    assert answer.status_code == 500
    assert answer.json()["code"] == "internal"
    assert "secret" not in answer.text


async def test_a_lost_database_connection_is_503_and_comes_back(parts: Parts, dsn: str) -> None:
    async with calling(parts, None) as client:
        assert (await client.get("/api/openings")).status_code == 200
        async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
            await connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        statuses = [(await client.get("/api/openings")).status_code for _ in range(8)]
    assert set(statuses) <= {200, 503}
    assert statuses[-1] == 200


async def test_openapi_names_every_answer_and_problem(parts: Parts) -> None:
    async with calling(parts, None) as client:
        document = (await client.get("/openapi.json")).json()
    schemas = document["components"]["schemas"]
    assert {"OpenEvent", "Slot", "Problem"} <= set(schemas)
    for path, item in document["paths"].items():
        for method, operation in item.items():
            assert operation.get("summary"), (method, path)
            assert "default" in operation["responses"], (method, path)


@pytest.mark.parametrize("text", ["\x00", "x" * 301])
async def test_a_text_that_cannot_be_stored_is_the_callers_mistake(parts: Parts, text: str) -> None:
    async with calling(parts, None) as client:
        answer = await client.get("/api/openings", params={"provider": text})
    assert answer.status_code == 422


async def test_the_pool_uses_utc(parts: Parts) -> None:
    async with parts.db.connection() as connection:
        assert await fetch_value(connection, b"SELECT current_setting('timezone')") == "UTC"
