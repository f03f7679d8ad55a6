"""`@page` puts a function at an address: signed-in people only, inside the frame, with its mistakes told."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from nicegui import Client, ui
from starlette.requests import Request
from starlette.responses import Response

from dibs.access import Caller, Scope
from dibs.console.components.element import el
from dibs.console.components.field import Choice, choice
from dibs.console.components.notice import notice
from dibs.console.context import parts
from dibs.console.live import Live, Refresh, pulse
from dibs.console.session import caller_of, to_sign_in
from dibs.console.shell import frame
from dibs.console.tour import draw_tour
from dibs.errors import DibsError, Forbidden, NotFound, Unauthorized
from dibs.telemetry import emit, events_console

if TYPE_CHECKING:
    from dibs.parts import Parts

PAGES: dict[str, str] = {}
# A page that reads a slow database is still better than none.
LONGEST_BUILD_S = 20.0
LONGEST_FILTER = 200


class View:
    """What a page works with."""

    def __init__(self, request: Request, caller: Caller, client: Client) -> None:
        self.parts: Parts = parts()
        self.caller = caller
        self.request = request
        self._client = client
        self._filters = {name: value[:LONGEST_FILTER] for name, value in request.query_params.items()}
        self._live: Live | None = None

    def head(self, title: str, text: str = "", *, live: bool = False) -> ui.element:
        """The page's heading; the answer is a with-block for tools at its right."""
        with el("div", classes="dibs-head"):
            with el("div"):
                el("h1", title)
                if text:
                    el("p", text)
            tools = el("div", classes="dibs-head-tools")
            if live:
                with tools:
                    pulse()
        return tools

    def filter(self, name: str, default: str = "") -> str:
        """A filter from the address."""
        return self._filters.get(name, default)

    def set_filter(self, name: str, value: str) -> None:
        """Keeps a filter in the address and looks again."""
        self._filters[name] = value[:LONGEST_FILTER]
        self._client.run_javascript(f"dibsSetQuery({json.dumps({name: self._filters[name]})})")
        self.refresh_soon()

    def choice(self, label: str, name: str, options: Mapping[str, str], usual: str = "") -> Choice:
        """A filter with a few values, kept in the address; the usual one needs no place there."""

        def changed(value: str) -> None:
            self.set_filter(name, "" if value == usual else value)

        return choice(label, options, self.filter(name) or usual, on_change=changed)

    def path(self, name: str) -> str:
        """A part of the address, like the id of `/openings/{id}`."""
        return str(self.request.path_params[name])

    def id_in_path(self, name: str) -> int:
        """A number in the address; anything else is a page that does not exist."""
        text = self.path(name)
        if not (text.isascii() and text.isdigit() and len(text) < 19):
            raise NotFound(f"There is nothing with the number {text!r}.")
        return int(text)

    async def live(self, refresh: Refresh, *channels: str, every_s: float = 5.0) -> None:
        """Draws now, and again whenever a channel rings or `every_s` passed, without a reload."""
        await refresh()
        self._live = Live(
            self._client,
            refresh,
            wake=self.parts.wake,
            channels=channels,
            every_s=every_s,
            still_signed_in=self._still_signed_in,
        )
        self._live.start()

    def refresh_soon(self) -> None:
        """Looks again now, after the person changed something."""
        if self._live:
            self._live.soon()

    async def require(self, scope: Scope) -> Caller:
        """Before every action: the caller as of now, whose scope contains `scope`."""
        caller = await self.parts.gate.caller_by_id(self.caller.token_id)
        if caller is None:
            raise Unauthorized("Your token was revoked; sign in with another.")
        if not caller.may(scope):
            raise Forbidden(f"This needs a token with the scope {scope}; yours is {caller.scope}.")
        return caller

    async def _still_signed_in(self) -> bool:
        return await self.parts.gate.caller_by_id(self.caller.token_id) is not None


Build = Callable[[View], Awaitable[None]]


def page(path: str, title: str) -> Callable[[Build], Build]:
    """Puts a page at `path`; `{name}` in it is read with `view.path(name)`."""

    def register(build: Build) -> Build:
        PAGES[path] = title

        @ui.page(path, title=f"{title} · dibs", response_timeout=LONGEST_BUILD_S)
        async def _(request: Request, client: Client) -> Response | None:
            caller = await caller_of(request)
            if caller is None:
                return to_sign_in(request)
            frame(request.url.path, caller, PAGES)
            view = View(request, caller, client)
            draw_tour(view.parts.tour, view.require)
            await _build(build, view, client)
            return None

        return build

    return register


async def _build(build: Build, view: View, client: Client) -> None:
    try:
        await build(view)
    except DibsError as error:
        client.status_code = error.status
        client.content.clear()
        with client.content:
            view.head(error.title)
            notice("bad", error.detail, f"({error.code})")
    except Exception as error:  # noqa: BLE001 - the person gets a page that says so, the log gets the rest
        emit(events_console.PAGE_FAILED, page=view.request.url.path, error=repr(error))
        client.status_code = 500
        client.content.clear()
        with client.content:
            view.head("This page could not be shown")
            notice("bad", "Something went wrong on our side.", "Try again; the log of the server says why.")
