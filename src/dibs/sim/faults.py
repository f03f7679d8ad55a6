"""What can go wrong at a provider, scripted or rolled."""

import asyncio
import random
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

from aiohttp import web


class Fault(StrEnum):
    HTML = "html"
    LOGIN = "login"
    EMPTY = "empty"
    PARTIAL = "partial"
    LIMITED = "limited"
    SERVER_ERROR = "server_error"
    NOT_FOUND = "not_found"
    SLOW = "slow"
    TRUNCATED = "truncated"
    GARBAGE = "garbage"
    BAD_RECORD = "bad_record"


LOSSES = (Fault.HTML, Fault.LIMITED, Fault.SERVER_ERROR, Fault.TRUNCATED, Fault.GARBAGE)
"""Faults after which a look shows nothing."""


@dataclass(slots=True)
class Faults:
    """Faults to come: `script` is used up first, one per request; then each request rolls its dice."""

    script: deque[Fault | None] = field(default_factory=deque[Fault | None])
    always: Fault | None = None
    chance: float = 0.0
    kinds: tuple[Fault, ...] = LOSSES
    dice: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 -- a world that can be repeated
    retry_after_s: float | None = None
    slow_s: float = 1.0
    kept_share: float = 0.713
    """How much of a partial answer is there; the default is the one that was seen in the wild."""

    def next(self) -> Fault | None:
        if self.script:
            return self.script.popleft()
        if self.always:
            return self.always
        return self.dice.choice(self.kinds) if self.dice.random() < self.chance else None

    def kept(self, items: list[str]) -> list[str]:
        """The part of the items that a partial answer has: a strict subset, the same at every call."""
        return sorted(items)[: int(len(items) * self.kept_share)]


async def respond(  # noqa: PLR0911 -- one return per fault
    faults: Faults, fault: Fault | None, body: bytes, request: web.Request
) -> web.StreamResponse:
    """The body, as far as the fault lets it through. EMPTY, PARTIAL and BAD_RECORD are the world's own."""
    if fault is Fault.SLOW:
        await asyncio.sleep(faults.slow_s)
    if fault is Fault.HTML:
        return web.Response(text="<!doctype html><title>Just a moment…</title>", content_type="text/html")
    if fault is Fault.LOGIN:
        return web.Response(status=302, headers={"Location": "/login"})
    wait = {} if faults.retry_after_s is None else {"Retry-After": f"{faults.retry_after_s:g}"}
    if fault is Fault.LIMITED:
        return web.Response(status=429, headers=wait)
    if fault is Fault.SERVER_ERROR:
        return web.Response(status=503, text="try later", headers=wait)
    if fault is Fault.NOT_FOUND:
        return web.Response(status=404, text="<h1>not found</h1>", content_type="text/html")
    if fault is Fault.GARBAGE:
        return web.json_response({"error": "temporarily unavailable"})
    if fault is Fault.TRUNCATED:
        return await _truncated(body, request)
    response = web.Response(body=body, content_type="application/json")
    response.enable_compression()
    return response


async def _truncated(body: bytes, request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(body) + 2)})
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    if request.transport:
        request.transport.close()
    return response
