"""One browser and one `dibs serve` per test process; every test has its own profile in that browser.

Every test here is a `browser` test and may be tried again: see docs/decisions/0037.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from browser_harness import (
    ADMIN,
    CONFIG,
    FLAGS,
    MISSING,
    PATIENCE_MS,
    Person,
    Provider,
    Site,
    chromium_path,
    forget,
    person_at,
    show_token,
)

HERE = Path(__file__).parent
expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=int(os.environ.get("DIBS_BROWSER_RERUNS", "2"))))
            item.add_marker(pytest.mark.timeout(240))


@pytest.fixture(scope="module")
def chromium(template: str) -> Iterator[Browser]:
    """A browser for the tests of one file.

    Its driver keeps a loop running in this thread, in which no other can be started: so the database's template
    is made before, and the driver ends with the file, before any asynchronous test runs in this process.
    """
    path = chromium_path()
    if path is None:
        pytest.fail(MISSING)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def new_site(server_dsn: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Site]]:
    """Makes a `dibs serve` on a database of its own; for tests that stop or break theirs."""
    made: list[tuple[Site, str]] = []

    def make() -> Site:
        name = f"dibs_browser_{uuid4().hex}"
        _admin(server_dsn, SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template)))
        dsn = make_conninfo(server_dsn, dbname=name)
        provider = Provider()
        config = tmp_path_factory.mktemp("site") / "dibs.toml"
        config.write_text(CONFIG.format(url=json.dumps(dsn), admin=ADMIN, provider=provider.url))
        site = Site(dsn, config, provider)
        made.append((site, name))
        site.start()
        return site

    yield make
    for site, name in made:
        if site.process:
            site.stop()
        site.provider.stop()
        _admin(server_dsn, SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


def _admin(server_dsn: str, statement: Any) -> None:
    with psycopg.connect(make_conninfo(server_dsn, dbname="postgres"), autocommit=True) as connection:
        connection.execute(statement)


@pytest.fixture(scope="session")
def site(new_site: Callable[[], Site]) -> Site:
    """The `dibs serve` that the tests of this process share."""
    return new_site()


@pytest.fixture
def person(chromium: Browser, site: Site) -> Iterator[Person]:
    """Somebody who is not signed in yet."""
    person = person_at(chromium, site)
    yield person
    forget(person)


@pytest.fixture(scope="module")
def signed_in(chromium: Browser, site: Site) -> Iterator[Person]:
    """A profile that is signed in; its pages share a cache, as a person's do."""
    person = person_at(chromium, site)
    show_token(person.context, site)
    yield person
    forget(person)


@pytest.fixture
def staff(signed_in: Person, site: Site) -> Iterator[Person]:
    """Somebody who is signed in, with a page of their own."""
    person = Person(site, signed_in.context)
    yield person
    person.page.close()


@pytest.fixture
def at_browser(chromium: Browser) -> Iterator[Callable[..., Person]]:
    """People with browsers of a certain kind: `at_browser(site, color_scheme="dark")`."""
    people: list[Person] = []

    def make(site: Site, **options: Any) -> Person:
        people.append(person_at(chromium, site, **options))
        return people[-1]

    yield make
    for one in people:
        forget(one)
