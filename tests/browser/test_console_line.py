"""Line and opening: who waits in order, moved and removed by staff; and what happened to one opening, step by step."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from playwright.sync_api import Locator, Page, expect

from browser_harness import Person, Site, complaints, wait_until

LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


@dataclass
class House:
    """A restaurant with one table, which is taken at the time for which people wait."""

    site: Site
    slug: str
    start_at: str
    booking_id: str

    def join(self, party_size: int) -> int:
        body = {
            "party_size": party_size,
            "channel": "webhook",
            "address": f"{self.site.provider.url}/{uuid4().hex}",
            "earliest": self.start_at,
            "latest": self.start_at,
        }
        return int(self.site.api("POST", f"/api/restaurants/{self.slug}/line", body)["place"]["place_id"])

    def cancel(self) -> None:
        """The table is free; whoever runs the line offers it to the first."""
        self.site.api("POST", f"/api/bookings/{self.booking_id}/cancel")


def open_house(site: Site) -> House:
    slug = f"house-{uuid4().hex[:8]}"
    floor = {
        "name": f"The {slug}",
        "timezone": "UTC",
        "service_periods": [{"name": "dinner", "start": "17:00", "end": "22:00"}],
        "zones": [{"name": "hall", "tables": [{"number": "A1", "capacity": 4, "mobility": "fixed"}]}],
        "adjacencies": [],
    }
    site.api("PUT", f"/api/restaurants/{slug}/floor", floor)
    start = (datetime.now(UTC) + timedelta(days=3)).replace(hour=19, minute=0, second=0, microsecond=0)
    asked = {"restaurant": slug, "party_size": 4, "start_at": start.isoformat()}
    hold = site.api("POST", "/api/staff/auto/quote", asked)["hold_id"]
    made = site.api("POST", "/api/staff/auto/confirm", {"hold_id": hold})
    return House(site, slug, start.isoformat(), str(made["booking_id"]))


def place(page: Page, place_id: int) -> Locator:
    return page.locator(f"tr[data-key='{place_id}']")


def offer_event(site: Site, place_id: int) -> int:
    """The opening that the place's offer is, once it has been made."""

    def look() -> int | None:
        with psycopg.connect(site.dsn) as connection:
            found = connection.execute(
                "SELECT open_event_id FROM offer WHERE place_id = %s AND open_event_id IS NOT NULL", [place_id]
            ).fetchone()
        return found[0] if found else None

    return int(wait_until(look))


def test_staff_reorders_the_line_and_the_first_is_offered_what_opens(staff: Person) -> None:
    house = open_house(staff.site)
    page = staff.go(f"/line?restaurant={house.slug}")
    page.evaluate("() => { window.notReloaded = true }")
    expect(page.get_by_text("Nobody is in line")).to_be_visible()
    expect(page.get_by_text("POST /api/restaurants/{slug}/line")).to_be_visible()
    two, three, four = house.join(2), house.join(3), house.join(4)
    for number, place_id in enumerate((two, three, four), 1):
        expect(place(page, place_id)).to_contain_text(f"No. {number}")
        expect(place(page, place_id)).to_contain_text("waiting")
    expect(place(page, two).get_by_role("button", name="Up:")).to_have_count(0)
    expect(place(page, four).get_by_role("button", name="Down:")).to_have_count(0)

    place(page, four).get_by_role("button", name="Up:").click()
    expect(place(page, four)).to_contain_text("No. 2")
    expect(place(page, three)).to_contain_text("No. 3")
    place(page, two).get_by_role("button", name="Down:").click()
    expect(place(page, four)).to_contain_text("No. 1")
    expect(page.locator("tbody tr").first).to_have_attribute("data-key", str(four))

    house.cancel()
    expect(place(page, four)).to_contain_text("offered")
    expect(place(page, four).locator("dibs-time[mode=countdown]")).to_have_text(re.compile(r"^\d+:\d\d$"))
    expect(place(page, two)).to_contain_text("waiting")
    assert page.evaluate("() => window.notReloaded")
    assert staff.outside == []
    assert staff.mistakes == []


def test_removing_somebody_asks_first(staff: Person) -> None:
    house = open_house(staff.site)
    stays, goes = house.join(2), house.join(3)
    page = staff.go(f"/line?restaurant={house.slug}")
    place(page, goes).get_by_role("button", name="Remove").click()
    dialog = page.locator(".dibs-dialog")
    expect(dialog).to_contain_text("Remove the party of 3 from the line?")
    dialog.get_by_role("button", name="Keep").click()
    expect(dialog).to_have_count(0)
    expect(place(page, goes)).to_contain_text("No. 2")
    place(page, goes).get_by_role("button", name="Remove").click()
    dialog.get_by_role("button", name="Remove").click()
    expect(place(page, goes)).to_have_count(0)
    expect(place(page, stays)).to_contain_text("No. 1")
    assert staff.site.api("GET", f"/api/line/{goes}")["status"] == "left"
    assert staff.mistakes == []


def test_the_restaurant_and_the_day_stand_in_the_address(staff: Person) -> None:
    house = open_house(staff.site)
    waits = house.join(2)
    page = staff.go("/line?day=nonsense")
    page.get_by_label("Restaurant").select_option(house.slug)
    expect(page).to_have_url(re.compile(f"restaurant={house.slug}"))
    day = house.start_at[:10]
    page.get_by_label("Day").select_option(day)
    expect(page).to_have_url(re.compile(f"day={day}"))
    expect(page.locator("tbody tr")).to_have_count(1)
    page.reload()
    expect(page.get_by_label("Day")).to_have_value(day)
    expect(place(page, waits)).to_be_visible()
    staff.go(f"/line?restaurant={house.slug}&day=2031-01-01")
    expect(page.get_by_text("Nobody is in line")).to_be_visible()


def test_a_products_line_is_shown_served_and_chosen_by_its_name(staff: Person) -> None:
    site = staff.site
    key = f"parks::passes::lake::{uuid4().hex[:8]}"
    url, day = f"/api/products/{key.replace('::', '/')}", (datetime.now(UTC) + timedelta(days=9)).date()
    product: dict[str, Any] = {
        "name": f"Pass {key[-8:]}",
        "timezone": "UTC",
        "capacity": 2,
        "range_start": day.isoformat(),
        "range_end": (day + timedelta(days=3)).isoformat(),
        "availability_estimation_pattern": {"estimation_mode": "exact", "cadence": {"id": "5min"}},
    }
    site.api("PUT", url, product)
    site.api("POST", f"{url}/dates/{day}/allocate", {"quantity": 2, "reference": "somebody"})
    wish = {
        "product": key,
        "quantity": 2,
        "earliest_date": day.isoformat(),
        "latest_date": day.isoformat(),
        "channel": "webhook",
    }

    def join() -> int:
        address = f"{site.provider.url}/{uuid4().hex}"
        return int(site.api("POST", "/api/line", wish | {"address": address})["place"]["place_id"])

    first, second = join(), join()
    page = staff.go("/line")
    page.get_by_label("Product").select_option(key)
    expect(page).to_have_url(re.compile("product="))
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(place(page, first)).to_contain_text(product["name"])
    expect(place(page, first)).to_contain_text(f"{day:%a %d %b %Y}")
    staff.picture("line-product")
    assert complaints(page) == []
    place(page, second).get_by_role("button", name="Up:").click()
    expect(place(page, second)).to_contain_text("No. 1")
    site.api("POST", f"{url}/dates/{day}/release", {"reference": "somebody"})
    expect(place(page, second)).to_contain_text("offered")
    expect(place(page, second).locator("dibs-time[mode=countdown]")).to_have_text(re.compile(r"^\d+:\d\d$"))
    place(page, first).get_by_role("button", name="Remove").click()
    dialog = page.locator(".dibs-dialog")
    expect(dialog).to_contain_text(f"Remove the wish for 2 × {product['name']} from the line?")
    dialog.get_by_role("button", name="Remove").click()
    expect(place(page, first)).to_have_count(0)
    assert staff.outside == []
    assert staff.mistakes == []


def test_the_life_of_an_opening_is_one_click_away(staff: Person) -> None:
    title = f"Upper Pines {uuid4().hex[:8]}"
    staff.site.opens(title, url="https://camps.example/42")
    page = staff.go("/openings")
    page.get_by_role("link", name=title, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page).to_have_url(re.compile(r"/openings/\d+$"))
    steps = page.get_by_role("row")
    expect(steps.filter(has_text="it counted: Closed → Open")).to_contain_text("+0.00 s")
    expect(steps.filter(has_text="it counted")).to_contain_text("new")
    expect(steps.filter(has_text="it is no longer to be had")).to_have_count(0)
    staff.site.opens(title, closes=True)
    expect(steps.filter(has_text="it is no longer to be had")).to_be_visible()
    expect(page.locator(".dibs-badge:visible", has_text="gone")).to_be_visible()
    assert staff.outside == []
    assert staff.mistakes == []


def test_an_offer_for_one_person_has_its_trace_too(staff: Person) -> None:
    house = open_house(staff.site)
    waits = house.join(2)
    house.cancel()
    page = staff.go(f"/openings/{offer_event(staff.site, waits)}")
    steps = page.get_by_role("row")
    expect(steps.filter(has_text=f"place {waits} was offered A1")).to_be_visible()
    staff.site.api("DELETE", f"/api/line/{waits}")
    expect(steps.filter(has_text=re.compile(f"place {waits}: (declined|withdrawn)"))).to_be_visible()


@pytest.mark.parametrize("number", ["0", "999999999", "17x", "9" * 30])
def test_an_opening_that_is_not_there_is_said(staff: Person, number: str) -> None:
    page = staff.page
    answer = page.goto(f"{staff.site.url}/openings/{number}")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_text("(not_found)")).to_be_visible()


@pytest.mark.parametrize("look", LOOKS)
def test_both_pages_have_no_serious_complaint(site: Site, at_browser: Callable[..., Person], look: str) -> None:
    house = open_house(site)
    first, second = house.join(2), house.join(4)
    house.cancel()
    event = offer_event(site, first)
    person = at_browser(site, **LOOKS[look])
    page = person.sign_in(f"/line?restaurant={house.slug}")
    expect(place(page, first)).to_contain_text("offered")
    expect(place(page, second)).to_contain_text("waiting")
    for path, name in ((f"/line?restaurant={house.slug}", "line-full"), (f"/openings/{event}", "opening")):
        person.go(path)
        expect(page.locator("tbody tr").first).to_be_visible()
        person.picture(f"{name}-{look}")
        assert complaints(page) == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth"), path
    assert person.outside == []
    assert person.mistakes == []
