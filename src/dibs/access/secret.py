"""Secrets that the installation makes once for itself, shared by all its processes."""

from __future__ import annotations

from secrets import token_bytes

from dibs.access import store
from dibs.clock import Clock
from dibs.db import Database


async def signing_key(database: Database, clock: Clock, name: str) -> bytes:
    """The key called `name`; made at the first call, the same ever after."""
    async with database.transaction() as connection:
        return await store.keep_secret(connection, name=name, secret=token_bytes(32), now=clock.now())
