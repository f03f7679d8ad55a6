"""The frame of every page: keyboard, phone, colours, nothing from elsewhere, nothing that axe complains about."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser_harness import ROOT, Person, Provider, Site, complaints
from dibs.console.shell import NAVIGATION

PHONE = {"width": 390, "height": 844}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
}


def pages_of(page: Page) -> list[str]:
    """The pages that the navigation offers."""
    hrefs = page.locator("#dibs-nav nav a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    return [str(href) for href in hrefs]


@pytest.mark.parametrize("look", LOOKS)
def test_no_page_has_a_serious_complaint(site: Site, at_browser: Callable[..., Person], look: str) -> None:
    site.opens(f"A table for {look}", url="https://camps.example/", starts_at="2031-07-01T18:30:00Z")
    person = at_browser(site, **LOOKS[look])
    person.page.goto(f"{site.url}/")
    assert complaints(person.page) == []
    person.picture(f"sign-in-{look}", whole=False)
    page = person.sign_in("/")
    found: dict[str, list[str]] = {}
    for path in pages_of(page):
        person.go(path)
        person.picture(f"{path.strip('/') or 'overview'}-{look}")
        found[path] = complaints(page)
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth"), path
    assert {path: list_ for path, list_ in found.items() if list_} == {}
    assert person.outside == []
    assert person.mistakes == []


def test_axe_would_have_complained(staff: Person) -> None:
    page = staff.go("/openings")
    assert complaints(page) == []
    page.evaluate(
        """() => {
            const bad = document.createElement('div');
            bad.innerHTML = '<button></button><p style="color:#bbb;background:#fff">too pale</p>';
            document.getElementById('dibs-main').append(bad);
        }"""
    )
    names = " ".join(complaints(page))
    assert "button-name" in names
    assert "color-contrast" in names


def test_every_page_can_be_reached_by_keyboard(staff: Person) -> None:
    page = staff.go("/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#dibs-main")).to_be_focused()
    reached: list[str] = []
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    for _ in range(len(NAVIGATION) + 3):
        page.keyboard.press("Tab")
        href = page.evaluate("() => document.activeElement.closest('#dibs-nav nav a')?.getAttribute('href')")
        if href:
            reached.append(href)
            outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
            assert outline == "solid", f"{href} shows no focus"
    assert reached == pages_of(page)
    page.locator("#dibs-nav nav a", has_text="Just opened").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Just opened")
    here = page.locator("#dibs-nav [aria-current=page]")
    expect(here).to_have_text("boltJust opened")


def test_on_a_phone_the_navigation_is_a_drawer(site: Site, at_browser: Callable[..., Person]) -> None:
    person = at_browser(site, viewport=PHONE, has_touch=True, is_mobile=True)
    page = person.sign_in("/")
    menu = page.get_by_role("button", name="Menu")
    expect(page.locator("#dibs-nav")).to_be_hidden()
    menu.click()
    expect(page.locator("#dibs-nav")).to_be_visible()
    expect(menu).to_have_attribute("aria-expanded", "true")
    person.picture("drawer-phone", whole=False)
    assert complaints(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#dibs-nav")).to_be_hidden()
    expect(menu).to_be_focused()
    menu.click()
    page.locator("#dibs-nav").get_by_role("link", name="Just opened").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Just opened")
    expect(page.locator("#dibs-nav")).to_be_hidden()


def test_colours_follow_the_system_and_the_persons_choice(site: Site, at_browser: Callable[..., Person]) -> None:
    person = at_browser(site, color_scheme="dark")
    page = person.sign_in("/openings")
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", "dark")
    page.emulate_media(color_scheme="light")
    expect(html).to_have_attribute("data-theme", "light")
    choose = page.get_by_role("button", name="Colours")
    choose.click()
    choose.click()
    expect(html).to_have_attribute("data-theme", "dark")
    expect(page.locator("body")).to_have_class("desktop no-touch body--dark")
    page.reload()
    expect(html).to_have_attribute("data-theme", "dark")
    expect(choose).to_have_attribute("title", "Colours: dark")


def test_the_picture_of_the_readme(site: Site, at_browser: Callable[..., Person], tmp_path: Path) -> None:
    """DIBS_README_PICTURE=1 renews the committed picture from the demo; else one of the shared server is made."""
    if not os.environ.get("DIBS_README_PICTURE"):
        site.opens("Lilia, table for two", url="https://camps.example/", starts_at="2031-07-01T18:30:00Z")
        person = at_browser(site)
        person.sign_in("/")
        assert person.picture("console", whole=False).stat().st_size > 10_000
        return
    demo = Site("", tmp_path, Provider(), arguments=("demo", "--data-dir", str(tmp_path / "demo")))
    demo.start()
    try:
        person = at_browser(demo)
        page = person.sign_in("/", token="dibs-demo-admin-token")
        expect(page.locator(".dibs-live-list li")).to_have_count(8, timeout=60_000)
        page.screenshot(path=ROOT / "docs" / "console.png")
    finally:
        demo.stop()
        demo.provider.stop()
