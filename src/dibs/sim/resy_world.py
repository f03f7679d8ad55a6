"""A resy-style provider: venues, days, party sizes, pages, and the quirks of the real service."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec
from aiohttp import web

from dibs.sim.faults import Fault, Faults, respond
from dibs.sim.server import SimServer

Shape = Literal["object", "scalar", "nested"]
PagesIn = Literal["meta", "top", "search", "pagination", "nowhere"]
NAMES = ("Ox & Fig", "Little Harbor", "Saffron Hall", "The Copper Pot", "Juniper", "Nine Lanterns", "Bar Mirador")
PLACES = ("Financial District", "West Village", "Harlem", "Astoria", "Bushwick")
SPAN = timedelta(hours=3)
"""A response spans about this much around its anchor, so two anchors of a day overlap."""


@dataclass(slots=True)
class ResyWorld:
    """The truth: venue → start (`YYYY-MM-DD HH:MM:SS`) → party sizes that can have it."""

    slots: dict[int, dict[str, frozenset[int]]] = field(default_factory=dict[int, dict[str, frozenset[int]]])
    faults: Faults = field(default_factory=Faults)
    shape: Shape = "object"
    pages_in: PagesIn = "meta"
    list_empty: bool = True
    """Whether venues without availability are among the hits."""
    seatings: int = 1
    dice: random.Random = field(default_factory=lambda: random.Random(11))  # noqa: S311 -- a world that can be repeated

    def venue(self, venue_id: int) -> dict[str, frozenset[int]]:
        return self.slots.setdefault(venue_id, {})

    def opens(self, venue_id: int, start: str, sizes: tuple[int, ...] = (2, 4)) -> None:
        self.venue(venue_id)[start] = frozenset(sizes)

    def closes(self, venue_id: int, start: str) -> None:
        self.venue(venue_id).pop(start, None)

    def fill(self, venues: int, day: str, share: float = 0.3) -> None:
        for venue_id in range(1, venues + 1):
            for hour in range(13, 23):
                if self.dice.random() < share:
                    self.opens(venue_id, f"{day} {hour}:00:00")
                else:
                    self.venue(venue_id)

    def move(self, day: str, share: float = 0.05) -> None:
        """Some tables change hands."""
        for venue_id in list(self.slots):
            for hour in range(13, 23):
                start = f"{day} {hour}:00:00"
                if self.dice.random() >= share:
                    continue
                if start in self.slots[venue_id]:
                    self.closes(venue_id, start)
                else:
                    self.opens(venue_id, start)

    def visible(self, day: str, anchor: str, size: int) -> dict[int, list[str]]:
        """What a search can show: per venue the starts near the anchor for this party."""
        middle = datetime.fromisoformat(f"{day} {anchor}")
        return {
            venue_id: sorted(
                start
                for start, sizes in starts.items()
                if size in sizes and abs(datetime.fromisoformat(start) - middle) <= SPAN
            )
            for venue_id, starts in sorted(self.slots.items())
        }

    async def _search(self, request: web.Request) -> web.StreamResponse:
        fault = self.faults.next()
        if "User-Agent" not in request.headers or "Authorization" not in request.headers:
            return web.Response(status=500)
        asked = await request.json()
        body = msgspec.json.encode(self._page(asked, fault))
        return await respond(self.faults, fault, body, request)

    def _page(self, asked: dict[str, Any], fault: Fault | None) -> dict[str, Any]:
        choice, number, size = asked["slot_filter"], asked["page"], asked["per_page"]
        there = self.visible(choice["day"], choice["time_filter"], choice["party_size"])
        if fault is Fault.EMPTY:
            there = {venue_id: list[str]() for venue_id in there}
        venues = [one for one in there if self.list_empty or there[one]]
        total = max(1, -(-len(venues) // size))
        shown = venues[(number - 1) * size : number * size]
        hits: list[Any] = [self._hit(one, there[one], choice["party_size"], asked) for one in shown]
        if fault is Fault.BAD_RECORD:
            hits.insert(0, {"id": {"resy": None}, "availability": "soon"})
        return self._envelope(hits, number, size, total, len(venues))

    def _hit(self, venue_id: int, starts: list[str], size: int, asked: dict[str, Any]) -> dict[str, Any]:
        slug = f"venue-{venue_id}"
        slots = [self._slot(venue_id, start, size, kind) for start in starts for kind in range(self.seatings)]
        availability = {"slots": slots} if asked.get("availability") and (slots or venue_id % 2) else None
        venue: dict[str, Any] = {
            "id": {"resy": venue_id} if self.shape == "object" else venue_id,
            "name": f"{NAMES[venue_id % len(NAMES)]} {venue_id}",
            "url_slug": slug,
            "neighborhood": PLACES[venue_id % len(PLACES)],
            "locality": "New York",
            "region": "NY",
            "location": {"code": "ny", "id": 1, "name": "New York", "url_slug": "new-york-ny"},
            "_geoloc": {"lat": 40.7 + venue_id / 100_000, "lng": -74.0},
            "cuisine": ["Steakhouse"] if venue_id % 3 else None,
            "price_range_id": venue_id % 4 + 1,
            "rating": {"average": 4.1, "count": 76},
            "images": [f"https://images.example.org/{slug}.jpg"],
            "is_tock_inventory": venue_id % 10 == 0,
        }
        if self.shape == "nested":
            return {"venue": venue, "availability": availability}
        return {**venue, "availability": availability}

    def _slot(self, venue_id: int, start: str, size: int, kind: int) -> dict[str, Any]:
        begin = datetime.fromisoformat(start)
        name = ("Dining Room", "Bar", "Patio")[kind % 3]
        tock = venue_id % 10 == 0
        config = {
            "id": None if tock else venue_id * 100 + kind,
            "type": None if tock else name,
            "token": f"rgs://resy/{venue_id}/{kind}/3/{begin:%Y-%m-%d}/{begin:%Y-%m-%d}/{begin:%H:%M:%S}/{size}/{name}",
        }
        end = begin + timedelta(minutes=90)
        return {
            "date": {"start": f"{begin:%Y-%m-%d %H:%M:%S}", "end": f"{end:%Y-%m-%d %H:%M:%S}"},
            "config": config,
            "template": {"id": 3533613},
        }

    def _envelope(self, hits: list[Any], number: int, size: int, pages: int, total: int) -> dict[str, Any]:
        search: dict[str, Any] = {"nbHits": total, "hitsPerPage": size, "hits": hits}
        document: dict[str, Any] = {"meta": {"total": total, "page": number, "per_page": size}, "search": search}
        if self.pages_in == "meta":
            document["meta"]["total_pages"] = pages
        elif self.pages_in == "top":
            document["total_pages"] = pages
        elif self.pages_in == "search":
            search["nbPages"] = pages
        elif self.pages_in == "pagination":
            search["pagination"] = {"total_pages": pages}
        return document

    @asynccontextmanager
    async def serving(self, port: int = 0) -> AsyncIterator[SimServer]:
        async with SimServer({("POST", "/3/venuesearch/search"): self._search}).running(port) as server:
            yield server
