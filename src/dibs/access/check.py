"""Checks a presented token."""

from __future__ import annotations

from dibs.access import store
from dibs.access.model import Caller, token_hash
from dibs.clock import Clock
from dibs.db import Database

REMEMBER_S = 5.0
REMEMBERED = 10_000
LONGEST_TOKEN = 512


class Gate:
    """Knows tokens by their hash; asks the database once every few seconds for each."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._known: dict[bytes, tuple[float, Caller]] = {}

    async def caller(self, token: str) -> Caller | None:
        """Whom the token belongs to; None when it is unknown or revoked."""
        if not token or len(token) > LONGEST_TOKEN:
            return None
        # The hash is looked up, not the token: how long that takes tells nothing about the token.
        hashed = token_hash(token)
        now = self._clock.now().timestamp()
        known = self._known.get(hashed)
        if known and now - known[0] < REMEMBER_S:
            return known[1]
        async with self._database.connection() as connection:
            caller = await store.find_caller(connection, token_hash=hashed)
        if caller is None:
            self._known.pop(hashed, None)
            return None
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        self._known[hashed] = (now, caller)
        return caller

    async def caller_by_id(self, token_id: int) -> Caller | None:
        """The caller of a session that was opened with a token; None once it is revoked."""
        async with self._database.connection() as connection:
            tokens = await store.list_tokens(connection)
        for token in tokens:
            if token.token_id == token_id and token.revoked_at is None:
                return Caller(token.token_id, token.name, token.scope)
        return None
