"""The connection pool, and the two ways to use it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection, IsolationLevel
from psycopg.conninfo import make_conninfo
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from dibs.errors import CannotStart, Unavailable

Connection = AsyncConnection[Any]


class Database:
    """A pool of connections to one PostgreSQL database."""

    def __init__(self, dsn: str, *, size: int = 16, lock_timeout_s: float = 30.0) -> None:
        self.dsn = dsn
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            make_conninfo(
                dsn,
                application_name="dibs",
                options=f"-c timezone=UTC -c lock_timeout={int(lock_timeout_s * 1000)} -c jit=off",
            ),
            min_size=min(2, size),
            max_size=size,
            timeout=10,
            open=False,
            configure=_configure,
            name="dibs",
        )

    async def open(self) -> None:
        try:
            await self._pool.open(wait=True, timeout=20)
        except PoolTimeout:
            raise CannotStart("The database gives no connection; check its address and its max_connections.") from None

    async def close(self) -> None:
        await self._pool.close(timeout=5)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """One transaction: commits at the end, rolls back on an error."""
        async with self.connection() as connection, connection.transaction():
            yield connection

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection in autocommit, for single statements."""
        try:
            connection = await self._pool.getconn()
        except PoolTimeout:
            raise Unavailable("The database has no free connection; try again in a moment.") from None
        try:
            yield connection
        finally:
            await self._pool.putconn(connection)


async def _configure(connection: Connection) -> None:
    await connection.set_autocommit(True)
    await connection.set_isolation_level(IsolationLevel.READ_COMMITTED)
    # One plan per statement for the life of the connection; statements are few and come from files.
    connection.prepare_threshold = 3
