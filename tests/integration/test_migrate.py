"""Migrations: once, forward only, refused when the database is newer."""

from __future__ import annotations

import asyncio

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from dibs.db import Database
from dibs.db.migrate import is_current, known, migrate
from dibs.errors import CannotStart


@pytest.fixture
def empty(dsn: str) -> str:
    """The test's database with nothing in it."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return dsn


async def test_several_processes_that_start_at_once_migrate_once(empty: str) -> None:
    applied = await asyncio.gather(*(migrate(empty) for _ in range(4)))
    assert sorted(len(one) for one in applied) == [0, 0, 0, len(known())]


async def test_a_migrated_database_has_nothing_to_do(dsn: str) -> None:
    assert await migrate(dsn) == []


async def test_a_newer_database_is_refused(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("INSERT INTO schema_migration (number, name) VALUES (9999, 'later')")
    with pytest.raises(CannotStart, match="9999"):
        await migrate(dsn)


async def test_a_failed_migration_leaves_nothing_behind(empty: str) -> None:
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute("CREATE TABLE open_event (in_the_way int)")
    with pytest.raises(psycopg.errors.DuplicateTable):
        await migrate(empty)
    with psycopg.connect(empty, autocommit=True) as connection:
        found = connection.execute("SELECT to_regclass('slot'), to_regclass('schema_migration')").fetchone()
    assert found == (None, None)


async def test_whether_the_schema_is_current_can_be_asked(db: Database) -> None:
    assert await is_current(db)
    async with db.connection() as connection:
        await connection.execute(b"DELETE FROM schema_migration WHERE number = 1")
    assert not await is_current(db)


async def test_an_unreachable_database_is_one_sentence(dsn: str) -> None:
    with pytest.raises(CannotStart, match="cannot be reached"):
        await migrate(make_conninfo(dsn, dbname="dibs_not_there"))


async def test_missing_extensions_are_named_with_the_command(empty: str) -> None:
    role = "dibs_powerless"
    with psycopg.connect(empty, autocommit=True) as connection:
        for name in ("earthdistance", "cube", "pg_trgm", "btree_gist"):
            connection.execute(SQL("DROP EXTENSION IF EXISTS {} CASCADE").format(Identifier(name)))
        connection.execute(
            SQL("DO $$ BEGIN CREATE ROLE {} LOGIN; EXCEPTION WHEN duplicate_object THEN END $$").format(
                Identifier(role)
            )
        )
    with pytest.raises(CannotStart) as caught:
        await migrate(make_conninfo(empty, options=f"-c role={role}"))
    assert "CREATE EXTENSION btree_gist;" in caught.value.detail
