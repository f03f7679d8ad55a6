"""Brings the schema to the version of the code: numbered files, forward only, once.

Any number of processes may start at once; an advisory lock lets the first migrate while the others wait, and
find nothing left to do. A database newer than the code is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files

import psycopg
from psycopg import AsyncConnection
from psycopg.sql import SQL, Identifier

from dibs.db.lock import Keyspace
from dibs.db.pool import Connection, Database
from dibs.db.query import execute, fetch_all, fetch_value
from dibs.db.statement import statements
from dibs.errors import CannotStart

sql = statements(__name__)
EXTENSIONS = ("btree_gist", "pg_trgm", "cube", "earthdistance")
OLDEST_SERVER = 15
NAME = re.compile(r"^(\d{4})_([a-z0-9_]+)\.sql$")
CREATE_EXTENSION = SQL("CREATE EXTENSION IF NOT EXISTS {}")
LOCK_TIMEOUT = b"SET lock_timeout = '60s'"
SERVER_VERSION = b"SELECT current_setting('server_version_num')::int / 10000"


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file."""

    number: int
    name: str
    text: bytes


def known() -> list[Migration]:
    """The migrations that this code knows, in order."""
    found: list[Migration] = []
    for file in (files("dibs.db") / "migrations").iterdir():
        match = NAME.match(file.name)
        if match:
            found.append(Migration(int(match[1]), match[2], file.read_bytes()))
    return sorted(found, key=lambda migration: migration.number)


async def migrate(dsn: str) -> list[Migration]:
    """Applies what is missing and says what it was."""
    try:
        connection = await AsyncConnection.connect(dsn, autocommit=True)
    except psycopg.OperationalError as error:
        raise CannotStart(f"The database cannot be reached: {str(error).strip()}") from None
    async with connection:
        await _check_version(connection)
        await connection.execute(LOCK_TIMEOUT)
        try:
            return await _apply(connection)
        except psycopg.errors.LockNotAvailable:
            raise CannotStart(
                "Another process holds the lock of the migrations or of a table for over a minute; "
                "end it (see pg_stat_activity) and start again."
            ) from None


async def _apply(connection: Connection) -> list[Migration]:
    done: list[Migration] = []
    async with connection.transaction():
        await execute(connection, sql("advisory_lock"), {"keyspace": int(Keyspace.MIGRATE), "key": "schema"})
        await _check_extensions(connection)
        await execute(connection, sql("create_migration_table"))
        applied = {int(row["number"]) for row in await fetch_all(connection, sql("list_migrations"))}
        migrations = known()
        _refuse_newer(applied, migrations)
        for migration in migrations:
            if migration.number in applied:
                continue
            await connection.execute(migration.text)
            await execute(connection, sql("record_migration"), {"number": migration.number, "name": migration.name})
            done.append(migration)
    return done


def _refuse_newer(applied: set[int], migrations: list[Migration]) -> None:
    newest = migrations[-1].number if migrations else 0
    ahead = [number for number in applied if number > newest]
    if ahead:
        raise CannotStart(
            f"The database is at migration {max(ahead):04d}, this version of dibs knows only up to "
            f"{newest:04d}; start the newer version, or restore a backup from before the upgrade."
        )


async def _check_version(connection: Connection) -> None:
    version = await fetch_value(connection, SERVER_VERSION)
    if int(version) < OLDEST_SERVER:
        raise CannotStart(f"PostgreSQL {version} is too old; dibs needs {OLDEST_SERVER} or newer.")


async def _check_extensions(connection: Connection) -> None:
    missing = await missing_extensions(connection)
    if missing:
        names = ", ".join(missing)
        commands = " ".join(f"CREATE EXTENSION {name};" for name in missing)
        raise CannotStart(
            f"The database lacks the extensions {names}. As a superuser run in this database: {commands} "
            "(on Debian their files come with: apt-get install postgresql-contrib)."
        )


async def missing_extensions(connection: Connection) -> list[str]:
    """Creates the extensions it may create and names the others."""
    missing: list[str] = []
    for name in EXTENSIONS:
        try:
            async with connection.transaction():
                await connection.execute(CREATE_EXTENSION.format(Identifier(name)))
        except psycopg.Error:
            missing.append(name)
    return missing


async def is_current(database: Database) -> bool:
    """Whether the schema is at the version of the code."""
    async with database.connection() as connection:
        applied = {int(row["number"]) for row in await fetch_all(connection, sql("list_migrations"))}
    return applied == {migration.number for migration in known()}
