"""A provider with a plain JSON API: parks with campsites that come and go."""

import hashlib
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from aiohttp import web

from dibs.sim.faults import Fault, Faults, respond
from dibs.sim.server import SimServer

SLOTS = "campsites[].{id: id, group: loop, starts_at: date, title: name, url: link, open: status == 'Available'}"
LOOPS = ("Cedar", "Lakeside", "Meadow", "Ridge")


@dataclass(slots=True)
class JsonWorld:
    """The truth: per park, which sites exist and which of them are open."""

    parks: dict[str, dict[str, bool]] = field(default_factory=dict[str, dict[str, bool]])
    faults: Faults = field(default_factory=Faults)
    conditional: bool = True
    """Whether the server knows ETags."""
    dice: random.Random = field(default_factory=lambda: random.Random(7))  # noqa: S311 -- a world that can be repeated

    def opens(self, park: str, site: str) -> None:
        self.parks.setdefault(park, {})[site] = True

    def closes(self, park: str, site: str) -> None:
        """Still listed, as reserved."""
        self.parks[park][site] = False

    def vanishes(self, park: str, site: str) -> None:
        """No longer listed at all."""
        self.parks[park].pop(site, None)

    def open_sites(self, park: str) -> set[str]:
        return {site for site, is_open in self.parks.get(park, {}).items() if is_open}

    def fill(self, park: str, sites: int, share_open: float = 0.3) -> None:
        for number in range(1, sites + 1):
            self.parks.setdefault(park, {})[f"{park}-{number}"] = self.dice.random() < share_open

    def move(self, park: str, share: float = 0.1) -> None:
        """Some sites change hands."""
        for site, is_open in self.parks[park].items():
            if self.dice.random() < share:
                self.parks[park][site] = not is_open

    def document(self, park: str, month: str, fault: Fault | None) -> dict[str, Any]:
        sites = self.parks.get(park, {})
        names = [] if fault is Fault.EMPTY else list(sites)
        if fault is Fault.PARTIAL:
            names = self.faults.kept(names)
        records: list[Any] = [_record(name, month, is_open=sites[name]) for name in names]
        if fault is Fault.BAD_RECORD:
            records.insert(0, {"id": None, "status": "Available"})
        return {"park": park, "campsites": records}

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        fault = self.faults.next()
        body = msgspec.json.encode(self.document(request.query.get("park", ""), request.query.get("month", ""), fault))
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if fault is None and self.conditional:
            if request.headers.get("If-None-Match") == tag:
                return web.Response(status=304, headers={"ETag": tag})
            response = web.Response(body=body, content_type="application/json", headers={"ETag": tag})
            response.enable_compression()
            return response
        return await respond(self.faults, fault, body, request)

    @asynccontextmanager
    async def serving(self, port: int = 0) -> AsyncIterator[SimServer]:
        async with SimServer({("GET", "/availability"): self._serve}).running(port) as server:
            yield server


def provider_url(server_url: str) -> str:
    """The URL template of a provider of kind json that watches this world."""
    return server_url + "/availability?park={park}&month={month}"


def _record(name: str, month: str, *, is_open: bool) -> dict[str, Any]:
    number = int(hashlib.sha256(name.encode()).hexdigest()[:6], 16)
    return {
        "id": name,
        "loop": LOOPS[number % len(LOOPS)],
        "date": f"{month}-{number % 28 + 1:02d}" if month else None,
        "name": f"Site {name}",
        "link": f"https://example.org/sites/{name}",
        "status": "Available" if is_open else "Reserved",
    }
