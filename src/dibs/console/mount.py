"""Joins the console to the FastAPI application."""

from __future__ import annotations

import hmac
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from fastapi import FastAPI
from nicegui import Client, app, core, ui
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dibs.console import plain, session
from dibs.console.context import set_parts
from dibs.console.static import STATIC

if TYPE_CHECKING:
    from dibs.parts import Parts

SESSION_DAYS = 14
# How long a tab that lost its connection keeps its page on the server.
RECONNECT_S = 30.0
# A closed connection is noticed at once; these are for a line that went silent. A busy server may answer late.
PING_EVERY_S = 10
PING_PATIENCE_S = 20
HEADERS = {
    # The toolkit compiles templates in the browser, hence 'unsafe-eval'; nothing may come from another host.
    b"content-security-policy": (
        b"default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
        b"style-src 'self' 'unsafe-inline'; "
        b"img-src 'self' data:; font-src 'self' data:; connect-src 'self' ws: wss:; object-src 'none'; "
        b"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"same-origin",
}
# Our choice of colours wins over the toolkit's, before the first paint and after every change.
COLOURS = """
    app.use(Quasar, {config: vue_config});
    applyColors(vue_config.brand);
    Quasar.lang.set(Quasar.lang[language.replace('-', '')]);
    darkSetter = () => window.dibsApplyTheme();
    setDark(dark);
"""


def mount(api: FastAPI, parts: Parts) -> None:
    """Puts the console at `/` of `api`, after its own routes."""
    set_parts(parts)
    _load_pages()
    # The toolkit has one application per process; a second mount (tests) starts from a clean one.
    app.user_middleware.clear()
    app.middleware_stack = None
    _add_routes()
    app.config.vue_config_script = COLOURS
    app.config.quasar_config["brand"]["primary"] = "#0b6b4f"
    Client.shared_head_html = plain.HEAD
    ui.run_with(
        api,
        title="dibs",
        favicon=STATIC / "icon.svg",
        dark=None,
        language="en-US",
        tailwind=False,
        binding_refresh_interval=None,
        reconnect_timeout=RECONNECT_S,
        # Kept for a tab that loses its connection for a moment; one that misses more loads the page again.
        message_history_length=200,
        # Level 9, the toolkit's choice, costs five times the processor for 3 % fewer bytes.
        gzip_middleware_factory=lambda inner: GZipMiddleware(inner, minimum_size=1000, compresslevel=4),
        storage_secret=_cookie_key(parts),
        session_middleware_kwargs={
            "session_cookie": "dibs_session",
            "max_age": SESSION_DAYS * 86400,
            "same_site": "lax",
            "https_only": parts.config.http.public_url.startswith("https:"),
        },
        show_welcome_message=False,
    )
    app.add_middleware(_Headers)
    app.on_startup(_set_pings)


def _set_pings() -> None:
    core.sio.eio.ping_interval = PING_EVERY_S
    core.sio.eio.ping_timeout = PING_PATIENCE_S


def _cookie_key(parts: Parts) -> str:
    """A key of its own for the cookies, so that no other signature of this installation fits them."""
    return hmac.new(parts.signing_key, b"console session", "sha256").hexdigest()


def _load_pages() -> None:
    pages = import_module("dibs.console.pages")
    for module in iter_modules(pages.__path__):
        import_module(f"dibs.console.pages.{module.name}")


def _add_routes() -> None:
    ours = (
        Route(session.SIGN_IN, session.sign_in_page, methods=["GET"]),
        Route(session.SIGN_IN, session.sign_in, methods=["POST"]),
        Route("/sign-out", session.sign_out, methods=["POST"]),
    )
    if not any(getattr(route, "path", None) == session.SIGN_IN for route in app.routes):
        app.add_static_files(plain.ASSETS, STATIC, max_cache_age=365 * 86400)
        app.routes[:0] = ours
        app.add_exception_handler(404, _not_found)


async def _not_found(request: Request, _error: Exception) -> Response:
    path = request.url.path
    if path.startswith("/api/"):
        problem = {"type": "about:blank", "title": "Not found", "status": 404, "code": "not_found"}
        detail = f"There is no {path}; /docs lists what there is."
        return JSONResponse(problem | {"detail": detail}, 404, media_type="application/problem+json")
    return HTMLResponse(plain.message("There is no such page", "The address may be old or mistyped."), 404)


class _Headers:
    """Adds the security headers to every answer of the console."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS.items()]
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)
