"""Fixtures for every test: a real PostgreSQL, one clone of a migrated template per test, a fake clock.

`DIBS_DATABASE__URL` set: the clones are made on that server; else on the embedded one, shared by all test
processes of a run.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from dibs.app import parts_on
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.db import Database
from dibs.db.embedded import EmbeddedServer
from dibs.db.migrate import migrate
from dibs.parts import Parts

# Every run of one commit tries the same examples, so that a red run speaks of the commit; DIBS_EXPLORE=500 looks
# for new ones, so many per property (decision 0007).
EXPLORE = int(os.environ.get("DIBS_EXPLORE", "0"))
settings.register_profile(
    "dibs",
    deadline=None,
    derandomize=not EXPLORE,
    max_examples=EXPLORE or 100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)
settings.load_profile("dibs")

START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def pytest_configure(config: pytest.Config) -> None:
    # A URL in the environment is for the suite's databases, not for the processes that tests start. The processes
    # of the run itself are started after this, so they are handed it.
    handed: dict[str, str] = getattr(config, "workerinput", {})
    config.stash[DATABASE_URL] = os.environ.pop("DIBS_DATABASE__URL", "") or handed.get("database_url", "")
    for name in [name for name in os.environ if name.startswith("DIBS_") and "__" in name]:
        del os.environ[name]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Called for every process of a parallel run before it starts."""
    node.workerinput["database_url"] = node.config.stash[DATABASE_URL]


DATABASE_URL = pytest.StashKey[str]()
# Real processes and real time on two busy cores (decision 0006); tests/browser has its own.
SECOND_TRIES = {"acceptance": 2, "concurrency": 1, "conformance": 1, "integration": 1, "meta": 1}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        tries = SECOND_TRIES.get(item.path.parent.name)
        if tries and item.get_closest_marker("flaky") is None:
            item.add_marker(pytest.mark.flaky(reruns=tries))


@pytest.fixture(scope="session")
def server_dsn(pytestconfig: pytest.Config) -> Iterator[str]:
    """The server that all clones live on."""
    url = pytestconfig.stash[DATABASE_URL]
    if url:
        yield url
        return
    # One server for all processes of a run, and for all runs of this checkout: what a killed run leaves is used
    # and ended by the next. The last one removes the data.
    checkout = hashlib.sha256(os.fsencode(Path(__file__).resolve())).hexdigest()[:10]
    folder = Path(tempfile.gettempdir()) / f"dibs-test-{os.getuid()}-{checkout}"
    folder.mkdir(mode=0o700, exist_ok=True)
    assert folder.stat().st_uid == os.getuid(), f"{folder} is somebody else's; remove it"
    with EmbeddedServer.start(folder, fast=True, temporary=True) as server:
        yield server.dsn


@pytest.fixture(scope="session")
def template(server_dsn: str) -> Iterator[str]:
    """A migrated database of this test process, which every test's own is cloned from."""
    name = f"dibs_template_{uuid4().hex}"
    _create(server_dsn, name)
    import asyncio  # noqa: PLC0415 -- only here: a loop of its own, before any test has one

    asyncio.run(migrate(make_conninfo(server_dsn, dbname=name)))
    yield name
    _drop(server_dsn, name)


@pytest.fixture
def dsn(server_dsn: str, template: str) -> Iterator[str]:
    """A database of this test alone."""
    name = f"dibs_test_{uuid4().hex}"
    _create(server_dsn, name, template)
    yield make_conninfo(server_dsn, dbname=name)
    _drop(server_dsn, name)


def _create(server_dsn: str, name: str, template: str = "template1") -> None:
    with psycopg.connect(make_conninfo(server_dsn, dbname="postgres"), autocommit=True) as connection:
        statement = SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
        connection.execute(statement.format(Identifier(name), Identifier(template)))


def _drop(server_dsn: str, name: str) -> None:
    with psycopg.connect(make_conninfo(server_dsn, dbname="postgres"), autocommit=True) as connection:
        connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(START)


@pytest.fixture
def config() -> Config:
    """The configuration of the test's parts; a test that needs another overrides this fixture."""
    return Config()


@pytest.fixture
async def parts(dsn: str, config: Config, clock: FakeClock) -> AsyncIterator[Parts]:
    """Everything a process has, over the test's own database; no loop runs."""
    async with parts_on(dsn, config, clock) as parts:
        yield parts


@pytest.fixture
async def db(parts: Parts) -> Database:
    return parts.db
