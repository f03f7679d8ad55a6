"""Demand in the browser: the map without tiles, a search with its message, the list, collecting now."""

from __future__ import annotations

from uuid import uuid4

from playwright.sync_api import expect

from browser_harness import Person, Site, complaints

AUSTIN = "30.2672,-97.7431,0.4"


def test_a_search_sets_a_collection_in_motion(staff: Person, site: Site) -> None:
    site.api("PUT", "/api/communities/austinfood", {"center": {"lat": 30.2672, "lng": -97.7431}, "active": True})
    name = f"Zilker {uuid4().hex[:8]}"
    page = staff.go(f"/demand?at={AUSTIN}")
    page.get_by_label("Look for").fill(name)
    page.get_by_role("button", name="Search this view").click()
    expect(page.get_by_text(f"We're expanding results for {name}")).to_be_visible()
    line = page.get_by_role("row").filter(has_text=name)
    expect(line).to_contain_text("queued")
    expect(line).to_contain_text("restaurant in austinfood")
    expect(page.get_by_label("Look for")).to_have_value(name)
    page.get_by_role("button", name="Search this view").click()
    expect(page.get_by_text("is being collected already")).to_be_visible()
    expect(page.get_by_text(f"We're expanding results for {name}")).to_have_count(0)
    staff.picture("demand-searched")
    assert complaints(page) == []
    assert staff.outside == []
    assert staff.mistakes == []


def test_the_map_moves_by_keyboard_and_keeps_its_place_in_the_address(staff: Person, site: Site) -> None:
    page = staff.go(f"/demand?at={AUSTIN}")
    drawn = page.get_by_role("application")
    expect(drawn).to_have_accessible_name("Map of the viewport. 30.267, -97.743 · 24 miles wide")
    drawn.focus()
    page.keyboard.press("-")
    expect(drawn).to_have_accessible_name("Map of the viewport. 30.267, -97.743 · 48 miles wide")
    page.keyboard.press("ArrowRight")
    expect(drawn).to_have_accessible_name("Map of the viewport. 30.267, -97.643 · 48 miles wide")
    page.wait_for_url("**at=30.2672%2C-97.6431%2C0.8*")


def test_a_search_for_nothing_is_told(staff: Person) -> None:
    page = staff.go("/demand")
    page.get_by_role("button", name="Search this view").click()
    expect(page.get_by_text("query is empty")).to_be_visible()
