"""Who is there: sign-in with a token, a signed cookie that holds the token's id."""

from __future__ import annotations

from urllib.parse import quote
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dibs.access import Caller
from dibs.console import plain
from dibs.console.context import parts

SIGN_IN = "/sign-in"
LONGEST_PATH = 2000
TOKEN_ID = "token_id"


async def caller_of(request: Request) -> Caller | None:
    """The signed-in caller; None without a session, or when its token was revoked."""
    token_id = request.session.get(TOKEN_ID)
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
    form = await request.form(max_files=0, max_fields=4)
    onward = local_path(str(form.get("next") or "/"))
    caller = await parts().gate.caller(str(form.get("token") or "").strip())
    if caller is None:
        return HTMLResponse(plain.sign_in(onward, refused=True), status_code=401)
    # A new session: whoever planted a cookie before does not share it.
    request.session.clear()
    request.session["id"] = str(uuid4())
    request.session[TOKEN_ID] = caller.token_id
    return RedirectResponse(onward, status_code=303)


async def sign_out(request: Request) -> Response:
    """Ends the session."""
    request.session.clear()
    return RedirectResponse(SIGN_IN, status_code=303)
