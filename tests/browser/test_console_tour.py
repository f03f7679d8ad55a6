"""The demo's strip: every step is a button that does something; put away, it stays away. Elsewhere there is none."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser_harness import STANDS, Person, Site, complaints

DEMO_TOKEN = "dibs-demo-admin-token"


@pytest.fixture(scope="module")
def demo(new_site: Callable[[], Site], tmp_path_factory: pytest.TempPathFactory) -> Site:
    """`dibs demo` on the database of a site of its own."""
    site = new_site()
    site.stop()
    site.start("demo", "--data-dir", str(tmp_path_factory.mktemp("demo")))
    return site


def test_the_tour_goes_from_nothing_free_to_it_is_yours(demo: Site, at_browser: Callable[..., Person]) -> None:
    person = at_browser(demo)
    page = person.sign_in("/", DEMO_TOKEN)
    strip = page.get_by_role("region", name="Try it")
    expect(strip.get_by_role("button")).to_have_count(6)
    assert complaints(page) == []
    person.picture("tour")

    strip.get_by_role("button", name="Watch it happen").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Just opened")
    page.wait_for_function(STANDS)
    strip.get_by_role("button", name="Take a place in line").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Line")
    page.wait_for_function(STANDS)
    expect(page.locator("tbody tr")).to_contain_text("waiting")
    expect(strip).to_have_attribute("data-done", "1 4")
    strip.get_by_role("button", name="claim it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Kept for you")
    page.get_by_role("button", name="Claim it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("It is yours")

    person.go("/health")
    expect(strip).to_have_attribute("data-done", "1 4 5")
    strip.get_by_role("button", name="Put the tour away").click()
    expect(page.locator("dibs-tour")).to_be_hidden()
    person.go("/")
    expect(page.locator("dibs-tour")).to_be_hidden()
    assert person.outside == []
    assert person.mistakes == []


def test_only_the_demo_has_it(staff: Person) -> None:
    page = staff.go("/")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Overview"))
    assert page.locator("dibs-tour").count() == 0
