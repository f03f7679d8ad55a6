"""Who is there: sign-in with a token, a signed cookie that holds the token's id."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dibs.access import Caller
from dibs.console import plain
from dibs.console.context import parts

SIGN_IN = "/sign-in"
LONGEST_PATH = 2000
LARGEST_FORM = 8192
SESSION_KEY = "token_id"


async def caller_of(request: Request) -> Caller | None:
    """The signed-in caller; None without a session, or when its token was revoked."""
    token_id = request.session.get(SESSION_KEY)
    return await parts().gate.caller_by_id(token_id) if isinstance(token_id, int) else None


def to_sign_in(request: Request) -> Response:
    """Sends the person to the door, and afterwards back to where they wanted to go."""
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"{SIGN_IN}?next={quote(path, safe='')}", status_code=303)


def local_path(path: str) -> str:
    """A page of ours to go on to; anything that could lead elsewhere becomes the first page."""
    plain_path = path.startswith("/") and path[1:2] not in ("/", "\\") and path.isprintable()
    return path if plain_path and len(path) <= LONGEST_PATH else "/"


async def sign_in_page(request: Request) -> Response:
    """The door."""
    onward = local_path(request.query_params.get("next", "/"))
    if await caller_of(request):
        return RedirectResponse(onward, status_code=303)
    return HTMLResponse(plain.sign_in(onward))


async def sign_in(request: Request) -> Response:
    """Checks the token and opens a session."""
    form = await _form(request)
    onward = local_path(form.get("next", "/"))
    caller = await parts().gate.caller(form.get("token", "").strip())
    if caller is None:
        return HTMLResponse(plain.sign_in(onward, refused=True), status_code=401)
    # A new session: whoever planted a cookie before does not share it.
    request.session.clear()
    request.session["id"] = str(uuid4())
    request.session[SESSION_KEY] = caller.token_id
    return RedirectResponse(onward, status_code=303)


async def _form(request: Request) -> dict[str, str]:
    """The fields of a small form; one that is too large counts as empty."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_FORM:
            return {}
    return dict(parse_qsl(body.decode(errors="replace"), max_num_fields=8))


async def sign_out(request: Request) -> Response:
    """Ends the session."""
    request.session.clear()
    return RedirectResponse(SIGN_IN, status_code=303)
