"""Floor: the plan shows what is taken, a party is seated from it, holds count down."""

from __future__ import annotations

import re
from uuid import uuid4

from playwright.sync_api import Locator, Page, expect

from browser_harness import Person, complaints
from capacity_harness import floor_document

DAY = "2031-07-01"


def restaurant(staff: Person) -> str:
    """A restaurant that no other test uses: the server is shared."""
    slug = f"floor-{uuid4().hex[:8]}"
    staff.site.api("PUT", f"/api/restaurants/{slug}/floor", floor_document(name=f"Restaurant {slug}"))
    return slug


def look(staff: Person, slug: str, at: str = "18:00") -> Page:
    return staff.go(f"/floor?restaurant={slug}&day={DAY}&at={at}")


def table(page: Page, number: str) -> Locator:
    return page.locator(f"[data-table={number}]")


def test_a_party_is_found_held_and_confirmed(staff: Person) -> None:
    slug = restaurant(staff)
    page = look(staff, slug)
    expect(table(page, "A1")).to_have_class(re.compile("is-free"))
    expect(table(page, "G2")).to_be_disabled()
    page.get_by_label("Guests").fill("2")
    page.get_by_label("Guests").blur()
    page.get_by_role("button", name="Find tables").click()
    expect(page.get_by_text("Held: table A1")).to_be_visible()
    expect(table(page, "A1")).to_have_class(re.compile("is-held"))
    expect(table(page, "A1").locator("dibs-time")).to_have_text(re.compile(r"^[0-3]:\d\d$"))
    page.get_by_label("Name of the guest").fill("Ada")
    page.get_by_role("button", name="Confirm").first.click()
    expect(table(page, "A1")).to_have_class(re.compile("is-booked"))
    bookings = staff.site.api("GET", f"/api/bookings?restaurant={slug}")["items"]
    assert [(one["status"], one["guest"]) for one in bookings] == [("confirmed", {"name": "Ada"})]
    assert complaints(page) == []
    assert staff.mistakes == []


def test_what_others_do_appears_by_itself(staff: Person) -> None:
    slug = restaurant(staff)
    page = look(staff, slug)
    expect(table(page, "A1")).to_have_class(re.compile("is-free"))
    quoted = staff.site.api(
        "POST",
        "/api/staff/auto/quote",
        {"restaurant": slug, "party_size": 2, "start_at": f"{DAY}T17:30:00Z", "hold_ttl_seconds": 600},
    )
    expect(table(page, "A1")).to_have_class(re.compile("is-held"))
    expect(page.locator(".dibs-floor-day-bar.is-held")).to_be_visible()
    staff.site.api("POST", "/api/staff/auto/confirm", {"hold_id": quoted["hold_id"]})
    expect(table(page, "A1")).to_have_class(re.compile("is-booked"))
    line = page.locator("tr", has_text="A1")
    line.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Cancel it").click()
    expect(table(page, "A1")).to_have_class(re.compile("is-free"))
    assert staff.mistakes == []


def test_picked_tables_are_checked_and_held(staff: Person) -> None:
    slug = restaurant(staff)
    page = look(staff, slug)
    for number in ("A1", "A3"):
        table(page, number).click()
        expect(table(page, number)).to_have_attribute("aria-pressed", "true")
    page.get_by_label("Guests").fill("4")
    page.get_by_label("Guests").blur()
    page.get_by_label("Only tables that stand together").check()
    page.get_by_role("button", name="Check picked").click()
    expect(page.get_by_text("The tables do not all stand together; choose a connected set.")).to_be_visible()
    page.get_by_label("Only tables that stand together").uncheck()
    page.get_by_role("button", name="Hold picked").click()
    expect(page.get_by_text("Held: tables A1 + A3")).to_be_visible()
    page.get_by_role("button", name="Let go").first.click()
    expect(table(page, "A3")).to_have_class(re.compile("is-free"))


def test_why_nothing_fits_is_said(staff: Person) -> None:
    page = look(staff, restaurant(staff))
    page.get_by_label("Guests").fill("60")
    page.get_by_label("Guests").blur()
    page.get_by_role("button", name="Find tables").click()
    expect(page.get_by_text("No allowed set of tables seats this party")).to_be_visible()
