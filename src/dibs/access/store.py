"""The statements of access."""

from __future__ import annotations

from datetime import datetime

from dibs.access.model import Caller, Scope, Token
from dibs.db import Connection, fetch_all, fetch_maybe, fetch_one, fetch_value, statements

sql = statements(__name__)


async def insert_token(
    connection: Connection, *, name: str, scope: Scope, token_hash: bytes, now: datetime
) -> Token | None:
    """The new token, or None when this very token is already there."""
    values = {"name": name, "scope": scope, "token_hash": token_hash, "now": now}
    return await fetch_maybe(connection, sql("insert_token"), values, Token)


async def find_caller(connection: Connection, *, token_hash: bytes) -> Caller | None:
    return await fetch_maybe(connection, sql("find_caller"), {"token_hash": token_hash}, Caller)


async def revoke_token(connection: Connection, *, token_id: int, now: datetime) -> Token | None:
    return await fetch_maybe(connection, sql("revoke_token"), {"token_id": token_id, "now": now}, Token)


async def list_tokens(connection: Connection) -> list[Token]:
    return await fetch_all(connection, sql("list_tokens"), {}, Token)


async def count_admins(connection: Connection) -> int:
    return int(await fetch_value(connection, sql("count_admins")))


async def keep_secret(connection: Connection, *, name: str, secret: bytes, now: datetime) -> bytes:
    """The secret of that name: the one that was there first."""
    row = await fetch_one(connection, sql("keep_secret"), {"name": name, "secret": secret, "now": now})
    return bytes(row["secret"])
