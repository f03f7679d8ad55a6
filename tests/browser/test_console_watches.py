"""Watches: add one, see what it sees, pause it, stop it."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

from playwright.sync_api import expect

from browser_harness import Person, Site, in_a_loop, wait_until
from dibs.access import create_token
from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Config


def test_a_watch_from_its_first_look_to_its_end(staff: Person) -> None:
    park = uuid4().hex[:8]
    key = f"camps:{park}"
    staff.site.provider.show(park, "Site 1", "Site 2")
    page = staff.go("/watches")
    page.get_by_label("Provider").nth(1).select_option("camps")
    page.get_by_label("Query").fill(f"park={park}")
    page.get_by_role("button", name="Start watching").click()
    line = page.locator("tbody tr", has_text=key)
    expect(line.locator(".dibs-badge")).to_contain_text("healthy")
    expect(line.get_by_role("cell").nth(2)).to_have_text("2")
    line.get_by_role("button", name="Pause").click()
    expect(line.locator(".dibs-badge")).to_contain_text("paused")
    line.get_by_role("button", name="Resume").click()
    expect(line.locator(".dibs-badge")).to_contain_text("healthy")
    line.get_by_role("link", name=key).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(key)
    expect(page.get_by_text("bootstrapped").first).to_be_visible()
    staff.picture("watch-light")
    page.get_by_role("button", name="Stop watching").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop watching").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Watches")
    expect(page.locator("tbody tr", has_text=key)).to_have_count(0)


def test_a_watch_that_fails_is_on_the_overview_with_its_reason(staff: Person) -> None:
    site = staff.site
    # The provider's other address answers nothing at all; only the worker polls.
    watch = site.api("POST", "/api/watches", {"provider": "broken", "query": {"park": uuid4().hex[:8]}})
    wait_until(lambda: site.api("GET", f"/api/watches/{watch['key']}")["status"] in ("degraded", "failing"))
    page = staff.go("/")
    row = page.locator("tbody tr", has_text=watch["key"])
    expect(row.locator(".dibs-badge")).to_have_text(re.compile("degraded|failing"))
    staff.go("/watches")
    line = page.locator("tbody tr", has_text=watch["key"])
    expect(line.locator("small")).to_have_text(re.compile("unreachable|http_"))
    staff.go("/watches?status=healthy")
    expect(page.locator("tbody tr", has_text=watch["key"])).to_have_count(0)
    site.api("DELETE", f"/api/watches/{watch['key']}")


def test_a_mistake_is_told_and_nothing_is_added(staff: Person) -> None:
    page = staff.go("/watches")
    expect(page.get_by_text("park=…").first).to_be_visible()
    page.get_by_label("Query").fill("nonsense")
    page.get_by_role("button", name="Start watching").click()
    expect(page.get_by_role("alert")).to_contain_text("name=value")
    page.get_by_label("Query").fill('park="not closed')
    page.get_by_role("button", name="Start watching").click()
    expect(page.get_by_role("alert").last).to_contain_text("quote")


def test_a_watch_that_is_not_there_is_a_page_that_says_so(staff: Person) -> None:
    answer = staff.page.goto(f"{staff.site.url}/watches/camps:nowhere")
    assert answer
    assert answer.status == 404
    expect(staff.page.get_by_text("There is no watch camps:nowhere")).to_be_visible()


def test_who_may_only_read_cannot_act(site: Site, at_browser: Callable[..., Person]) -> None:
    async def token() -> str:
        async with parts_on(site.dsn, Config(), SystemClock()) as parts:
            return (await create_token(parts.db, parts.clock, name="reader", scope="read"))[0]

    park = uuid4().hex[:8]
    watch = site.api("POST", "/api/watches", {"provider": "camps", "query": {"park": park}})
    person = at_browser(site)
    page = person.sign_in("/watches", token=in_a_loop(token()))
    line = page.locator("tbody tr", has_text=watch["key"])
    line.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("alert")).to_contain_text("needs a token with the scope admin")
    assert site.api("GET", f"/api/watches/{watch['key']}")["status"] != "paused"
    expect(page.get_by_text("Watch something new")).to_have_count(0)
