"""Which token may call which route."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, params
from fastapi.security import HTTPBearer

from dibs.access import SCOPES, Caller, Scope
from dibs.errors import Forbidden, Unauthorized
from dibs.parts import Parts

# Only for OpenAPI: the check itself is ours, so that its errors are problems like all others.
bearer = HTTPBearer(auto_error=False, description="A token of `dibs token create`.")


def parts_of(request: Request) -> Parts:
    return request.app.state.parts


async def _parts(request: Request) -> Parts:
    # FastAPI would run a plain function in a thread, for every request.
    return parts_of(request)


PartsOf = Annotated[Parts, Depends(_parts)]


async def caller_of(request: Request) -> Caller | None:
    """Whoever calls; None without a token. A bad token is an error, also where none is needed."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    kind, _, token = header.partition(" ")
    caller = await parts_of(request).gate.caller(token.strip()) if kind.lower() == "bearer" else None
    if caller is None:
        raise Unauthorized("The token is not known, or was revoked; `dibs token create` makes one.")
    return caller


def counted_client(request: Request, caller: Caller | None) -> str | None:
    """The address whose requests are counted; None for whoever has a token."""
    if caller:
        return None
    return request.client.host if request.client else "unknown"


class Needs:
    """Lets a request pass if its token's scope contains `scope`."""

    def __init__(self, scope: Scope) -> None:
        self.scope: Scope = scope

    async def __call__(self, request: Request) -> Caller:
        caller = await caller_of(request)
        if caller is None:
            raise Unauthorized("This needs a token: Authorization: Bearer …")
        if not caller.may(self.scope):
            raise Forbidden(f"This needs the scope {self.scope}; the token has {caller.scope}.")
        return caller


class NeedsForFeed:
    """The feed needs no token unless the configuration says so."""

    async def __call__(self, request: Request) -> None:
        if not parts_of(request).config.http.public_feed:
            await Needs("read")(request)


class OpenToAll:
    """Says that a route is meant to need no token."""

    async def __call__(self) -> None:
        return


# One guard per scope: a route that also wants to know its caller is checked once.
GUARDS: dict[Scope, Needs] = {scope: Needs(scope) for scope in SCOPES}


def needs(scope: Scope) -> list[params.Depends]:
    """The dependencies of a route that needs `scope`."""
    return [Depends(bearer), Depends(GUARDS[scope])]


feed_reader = [Depends(NeedsForFeed())]
open_to_all = [Depends(OpenToAll())]
ReadCaller = Annotated[Caller, Depends(GUARDS["read"])]
StaffCaller = Annotated[Caller, Depends(GUARDS["staff"])]
AdminCaller = Annotated[Caller, Depends(GUARDS["admin"])]
