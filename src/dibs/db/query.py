"""Runs one statement and gives typed rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, overload

import msgspec
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format
from psycopg.rows import class_row, dict_row, tuple_row
from psycopg.types.json import Jsonb, set_json_dumps, set_json_loads

from dibs.db.pool import Connection

Row = TypeVar("Row")
Parameters = Mapping[str, Any]

set_json_dumps(msgspec.json.encode)
set_json_loads(msgspec.json.decode)


def Json(value: Any) -> Jsonb:  # noqa: N802 -- it reads as the type of the parameter
    """A parameter of type jsonb."""
    return Jsonb(value)


@overload
async def fetch_all(
    connection: Connection, statement: bytes, parameters: Parameters | None = None
) -> list[dict[str, Any]]: ...
@overload
async def fetch_all(
    connection: Connection, statement: bytes, parameters: Parameters | None, row: type[Row]
) -> list[Row]: ...
async def fetch_all(
    connection: Connection,
    statement: bytes,
    parameters: Parameters | None = None,
    row: type[Any] | None = None,
) -> list[Any]:
    """Every row, as `row` (its fields are the columns) or as a dict."""
    factory = class_row(row) if row else dict_row
    async with connection.cursor(row_factory=factory) as cursor:
        await cursor.execute(statement, parameters)
        return await cursor.fetchall()


class _AsItIs(Loader):
    """A jsonb column as its text, which follows the version byte."""

    format = Format.BINARY

    def load(self, data: Buffer) -> msgspec.Raw:
        return msgspec.Raw(bytes(data)[1:])


async def fetch_documents(
    connection: Connection, statement: bytes, parameters: Parameters | None = None
) -> list[dict[str, Any]]:
    """Every row as a dict whose JSON columns stay text (`msgspec.Raw`): for answers that only pass them on.

    Building a hundred wide rows as objects, only to encode them, was half the time of a request.
    """
    async with connection.cursor(row_factory=dict_row, binary=True) as cursor:
        cursor.adapters.register_loader("jsonb", _AsItIs)
        await cursor.execute(statement, parameters)
        return await cursor.fetchall()


@overload
async def fetch_maybe(
    connection: Connection, statement: bytes, parameters: Parameters | None = None
) -> dict[str, Any] | None: ...
@overload
async def fetch_maybe(
    connection: Connection, statement: bytes, parameters: Parameters | None, row: type[Row]
) -> Row | None: ...
async def fetch_maybe(
    connection: Connection,
    statement: bytes,
    parameters: Parameters | None = None,
    row: type[Any] | None = None,
) -> Any:
    """The first row, or None."""
    factory = class_row(row) if row else dict_row
    async with connection.cursor(row_factory=factory) as cursor:
        await cursor.execute(statement, parameters)
        return await cursor.fetchone()


@overload
async def fetch_one(
    connection: Connection, statement: bytes, parameters: Parameters | None = None
) -> dict[str, Any]: ...
@overload
async def fetch_one(connection: Connection, statement: bytes, parameters: Parameters | None, row: type[Row]) -> Row: ...
async def fetch_one(
    connection: Connection,
    statement: bytes,
    parameters: Parameters | None = None,
    row: type[Any] | None = None,
) -> Any:
    """The first row of a statement that always has one."""
    found = (
        await fetch_maybe(connection, statement, parameters, row)
        if row
        else await fetch_maybe(connection, statement, parameters)
    )
    if found is None:
        raise LookupError("the statement gave no row")
    return found


async def fetch_value(connection: Connection, statement: bytes, parameters: Parameters | None = None) -> Any:
    """The first column of the first row, or None."""
    async with connection.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute(statement, parameters)
        found = await cursor.fetchone()
        return found[0] if found else None


async def execute(connection: Connection, statement: bytes, parameters: Parameters | None = None) -> int:
    """How many rows the statement touched."""
    cursor = await connection.execute(statement, parameters)
    return cursor.rowcount
