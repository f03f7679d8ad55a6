"""Trouble on demand: what a simulated provider answers instead of the truth."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from aiohttp import web


@dataclass(frozen=True, slots=True)
class Trouble:
    """An answer that is not the truth: a status, or a body, or one that ends too early."""

    status: int = 500
    body: bytes = b'{"message": "trouble", "error": 500}'
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    # Promise so many bytes more than are sent, and hang up.
    missing: int = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if not self.missing:
            return web.Response(
                status=self.status, body=self.body, content_type=self.content_type, headers=self.headers
            )
        cut = web.StreamResponse(status=self.status, headers=self.headers)
        cut.content_type = self.content_type
        cut.content_length = len(self.body) + self.missing
        await cut.prepare(request)
        await cut.write(self.body)
        if request.transport:
            request.transport.abort()
        return cut


HTML = Trouble(200, b"<!doctype html><title>whoa there, pardner!</title>", "text/html")


class Troubles:
    """Which requests meet trouble: the next few, or all whose path holds a text."""

    def __init__(self) -> None:
        self._next: deque[Trouble] = deque()
        self._always: list[tuple[str, Trouble]] = []

    def next(self, *troubles: Trouble) -> None:
        self._next.extend(troubles)

    def always(self, trouble: Trouble, *, where: str = "") -> None:
        self._always.append((where, trouble))

    def over(self) -> None:
        self._next.clear()
        self._always.clear()

    def meet(self, path: str) -> Trouble | None:
        if self._next:
            return self._next.popleft()
        return next((trouble for where, trouble in self._always if where in path), None)
