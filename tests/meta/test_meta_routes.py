"""Every route says who may call it, and means it: proved by calling each one with too little and with enough."""

from __future__ import annotations

import re

import httpx
import pytest
from docs.reference.generate import all_routes, guards
from fastapi import FastAPI
from fastapi.routing import APIRoute

from api_client import calling
from dibs.access import SCOPES
from dibs.api.auth import Needs, NeedsForFeed, OpenToAll
from dibs.config import Config
from dibs.config.sections import Http
from dibs.parts import Parts

ROUTES = {f"{method} {route.path}": route for route in all_routes() for method in sorted(route.methods or ())}
# Whoever holds the link or the address may use these; what they may do is decided by a secret in the request.
OPEN = {
    "GET /healthz",
    "GET /readyz",
    "GET /unsubscribe",
    "POST /unsubscribe",
    "GET /verify",
    "POST /verify",
}
WRITERS_THAT_READ = {"POST /api/search", "POST /api/autocomplete/select"}  # asking records demand
RANKS = {scope: rank for rank, scope in enumerate(("read", "staff", "admin"))}


@pytest.fixture
def config() -> Config:
    """The feed needs a token here, so that its guard can be seen at work."""
    return Config(http=Http(public_feed=False))


def scope_of(route: APIRoute) -> str | None:
    found = {guard.scope for guard in guards(route) if isinstance(guard, Needs)}
    assert len(found) <= 1, f"{route.path} names several scopes"
    return found.pop() if found else None


@pytest.mark.parametrize("name", ROUTES)
def test_every_route_has_a_guard(name: str) -> None:
    assert guards(ROUTES[name]), f"{name} says nothing about who may call it; use needs(…) or open_to_all"


def test_the_open_routes_are_the_ones_we_know() -> None:
    found = {name for name, route in ROUTES.items() if any(isinstance(guard, OpenToAll) for guard in guards(route))}
    assert {name for name in found if name not in OPEN and not name.endswith("/claim")} == set()
    assert found >= {"GET /healthz", "GET /readyz"}


@pytest.mark.parametrize("name", [name for name in ROUTES if not name.startswith("GET ")])
def test_whoever_changes_something_needs_more_than_read(name: str) -> None:
    assert scope_of(ROUTES[name]) != "read" or name in WRITERS_THAT_READ


def address(route: APIRoute) -> str:
    return re.sub(r"\{[^}]*\}", "1", route.path)


async def statuses(parts: Parts, token_scope: str | None, names: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    async with calling(parts, token_scope) as client:
        for name in names:
            method = name.split(" ")[0]
            found[name] = (await client.request(method, address(ROUTES[name]))).status_code
    return found


def guarded() -> dict[str, str]:
    """Route and the least scope it takes; streams never end and are asked only where they refuse."""
    found: dict[str, str] = {}
    for name, route in ROUTES.items():
        scope = "read" if any(isinstance(guard, NeedsForFeed) for guard in guards(route)) else scope_of(route)
        if scope is not None:
            found[name] = scope
    return found


async def test_without_a_token_every_guarded_route_answers_401(parts: Parts) -> None:
    found = await statuses(parts, None, [*guarded()])
    assert {name: status for name, status in found.items() if status != 401} == {}


@pytest.mark.parametrize("scope", SCOPES)
async def test_a_token_opens_what_its_scope_contains_and_nothing_else(parts: Parts, scope: str) -> None:
    wanted = {name: least for name, least in guarded().items() if not name.endswith("/stream")}
    found = await statuses(parts, scope, [*wanted])
    refused = {name for name, status in found.items() if status in {401, 403}}
    assert refused == {name for name, least in wanted.items() if RANKS[least] > RANKS[scope]}


async def test_a_bad_token_is_refused_by_every_guarded_route(parts: Parts) -> None:
    async with calling(parts, None) as client:
        for name in guarded():
            answer = await client.request(
                name.split(" ")[0], address(ROUTES[name]), headers={"Authorization": "Bearer dibs_nonsense"}
            )
            assert answer.status_code == 401, name


async def test_the_check_itself_notices_a_route_without_a_guard() -> None:
    app = FastAPI()

    @app.get("/bare")
    async def bare() -> str:
        return "anybody"

    route = next(route for route in app.routes if isinstance(route, APIRoute))
    assert guards(route) == []
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://dibs.test") as client:
        assert (await client.get("/bare")).status_code == 200
