"""Makes and revokes tokens."""

from __future__ import annotations

from secrets import token_urlsafe

from dibs.access import store
from dibs.access.model import SCOPES, Scope, Token, token_hash
from dibs.clock import Clock
from dibs.db import Database, Keyspace, advisory_lock
from dibs.errors import Invalid, NotFound
from dibs.telemetry import emit, events

SHORTEST_TOKEN = 16


async def create_token(database: Database, clock: Clock, *, name: str, scope: str) -> tuple[str, Token]:
    """A new token: its secret, to be shown once, and what is stored of it."""
    if scope not in SCOPES:
        raise Invalid(f"There is no scope {scope!r}; choose one of {', '.join(SCOPES)}.")
    if not name.strip():
        raise Invalid("A token needs a name that says who uses it.")
    secret = f"dibs_{token_urlsafe(32)}"
    return secret, await _store(database, clock, name=name.strip(), scope=scope, secret=secret)


async def ensure_admin(database: Database, clock: Clock, configured: str) -> str | None:
    """Makes sure that somebody can sign in; the secret of a token made just now, else None."""
    if configured:
        if len(configured) < SHORTEST_TOKEN:
            raise Invalid(f"auth.admin_token is too short to be safe; use at least {SHORTEST_TOKEN} characters.")
        async with database.transaction() as connection:
            await store.insert_token(
                connection,
                name="configured",
                scope="admin",
                token_hash=token_hash(configured),
                now=clock.now(),
            )
        return None
    secret = f"dibs_{token_urlsafe(32)}"
    async with database.transaction() as connection:
        await advisory_lock(connection, Keyspace.ADMIN, "first")
        if await store.count_admins(connection):
            return None
        await store.insert_token(
            connection, name="first admin", scope="admin", token_hash=token_hash(secret), now=clock.now()
        )
    return secret


async def revoke_token(database: Database, clock: Clock, token_id: int) -> Token:
    """The token no longer works."""
    async with database.transaction() as connection:
        token = await store.revoke_token(connection, token_id=token_id, now=clock.now())
    if token is None:
        raise NotFound(f"There is no token {token_id}; `dibs token list` shows them.")
    emit(events.TOKEN_REVOKED, token_id=token_id, name=token.name)
    return token


async def _store(database: Database, clock: Clock, *, name: str, scope: Scope, secret: str) -> Token:
    async with database.transaction() as connection:
        token = await store.insert_token(
            connection, name=name, scope=scope, token_hash=token_hash(secret), now=clock.now()
        )
    if token is None:
        raise RuntimeError("a random token was drawn twice")
    emit(events.TOKEN_CREATED, token_id=token.token_id, name=name, scope=scope)
    return token
