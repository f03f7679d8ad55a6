"""A small HTTP server on loopback that keeps a log of what it was asked, and when."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class Asked:
    """One request, by the monotonic clock."""

    path: str
    started: float
    ended: float | None = None


@dataclass(slots=True)
class RequestLog:
    entries: list[Asked] = field(default_factory=list[Asked])
    in_flight: int = 0
    most_in_flight: int = 0

    def begin(self, path: str) -> Asked:
        entry = Asked(path, time.monotonic())
        self.entries.append(entry)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        return entry

    def end(self, entry: Asked) -> None:
        entry.ended = time.monotonic()
        self.in_flight -= 1


class SimServer:
    """Routes to handlers, with a log around all of them."""

    def __init__(self, routes: Mapping[tuple[str, str], Handler]) -> None:
        self.log = RequestLog()
        self._app = web.Application(middlewares=[self._logged])
        for (method, path), handler in routes.items():
            self._app.router.add_route(method, path, handler)
        self.url = ""

    @web.middleware
    async def _logged(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        entry = self.log.begin(request.path)
        try:
            return await handler(request)
        finally:
            self.log.end(entry)

    @asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator["SimServer"]:
        runner = web.AppRunner(self._app, access_log=None, handle_signals=False, shutdown_timeout=0.5)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        assigned = runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{assigned}"
        try:
            yield self
        finally:
            await asyncio.shield(runner.cleanup())
