"""Calls the API in process, over ASGI, as a client with a token would."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from dibs.access import create_token
from dibs.api import build_api
from dibs.parts import Parts


@dataclass
class Client:
    """An HTTP client that carries a token."""

    http: httpx.AsyncClient
    token: str | None

    async def get(self, path: str, **options: Any) -> httpx.Response:
        return await self.request("GET", path, **options)

    async def post(self, path: str, body: Any = None, **options: Any) -> httpx.Response:
        return await self.request("POST", path, json=body, **options)

    async def put(self, path: str, body: Any = None, **options: Any) -> httpx.Response:
        return await self.request("PUT", path, json=body, **options)

    async def patch(self, path: str, body: Any = None, **options: Any) -> httpx.Response:
        return await self.request("PATCH", path, json=body, **options)

    async def delete(self, path: str, **options: Any) -> httpx.Response:
        return await self.request("DELETE", path, **options)

    async def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= options.pop("headers", {})
        return await self.http.request(method, path, headers=headers, **options)


@asynccontextmanager
async def calling(parts: Parts, scope: str | None = "admin") -> AsyncIterator[Client]:
    """A client whose token has `scope` (None: no token) on the API over `parts`."""
    token = None
    if scope:
        token, _ = await create_token(parts.db, parts.clock, name=f"test {scope}", scope=scope)
    transport = httpx.ASGITransport(app=build_api(parts), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://dibs.test") as http:
        yield Client(http, token)
