"""Limits on size and time, counts and durations; plain ASGI, so that streams pass untouched."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dibs.api.problem import problem_of
from dibs.errors import TooLarge, Unavailable
from dibs.telemetry import metrics

LARGEST_BODY = 1024 * 1024
TOO_LARGE = "The body is larger than 1 MiB; send less at once."
STREAMS = ("/api/openings/stream",)


class BodyTooLarge(HTTPException):
    """Raised inside `receive` when the body grows past the limit; of this kind, because no other passes a parser."""

    def __init__(self) -> None:
        super().__init__(413, TOO_LARGE)


class Limits:
    """Refuses bodies over 1 MiB and ends requests that take too long."""

    def __init__(self, app: ASGIApp, timeout_s: float) -> None:
        self._app = app
        self._timeout_s = timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_ours(scope["path"]):
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 500

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._limited(scope, receive, counted)
        finally:
            route = _route(scope)
            metrics.REQUESTS.labels(route, scope["method"], str(status)).inc()
            if scope["path"] not in STREAMS:
                metrics.REQUEST_SECONDS.labels(route).observe(time.perf_counter() - started)

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        timeout = None if takes_its_time(scope["path"]) else self._timeout_s
        try:
            _check_announced(scope)
            async with asyncio.timeout(timeout):
                await self._app(scope, _bounded(receive), noted)
        except BodyTooLarge:
            error = TooLarge(TOO_LARGE)
        except TimeoutError:
            error = Unavailable("The request took too long; try again.", code="timeout")
        else:
            return
        if not started:
            await problem_of(error)(scope, receive, send)


def takes_its_time(path: str) -> bool:
    """A look answers when it is done, and each of its requests has a limit of its own; a stream never is."""
    return path in STREAMS or (path.startswith("/api/watches/") and path.endswith(("/poll", "/baseline")))


def _is_ours(path: str) -> bool:
    return path.startswith(("/api/", "/unsubscribe", "/verify", "/healthz", "/readyz", "/metrics", "/claim"))


def _route(scope: Scope) -> str:
    """The route's pattern, so that a metric has as many values as there are routes."""
    return getattr(scope.get("route"), "path", "unknown")


def _check_announced(scope: Scope) -> None:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and int(value) > LARGEST_BODY:
            raise BodyTooLarge


def _bounded(receive: Receive) -> Receive:
    read = 0

    async def bounded() -> Any:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > LARGEST_BODY:
            raise BodyTooLarge
        return message

    return bounded
