"""Signals: the calendar shows what is cached, marks what has changed, and a tick brings it up to date."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, expect

from browser_harness import Person, Site, complaints


def make_product(site: Site) -> tuple[str, str, Any]:
    """A product with a month of dates from today; its path, its key, and a date in the middle.

    Its cadence ticks every half hour, one interval after the start: no schedule interferes with the test.
    """
    product = f"site-{uuid4().hex[:8]}"
    path = f"/api/products/parks/camping/lake/{product}"
    today = datetime.now(UTC).date()
    site.api(
        "PUT",
        path,
        {
            "name": "Lakeside <b>1</b>",
            "timezone": "UTC",
            "capacity": 10,
            "range_start": f"{today}",
            "range_end": f"{today + timedelta(days=70)}",
            "availability_estimation_pattern": {"estimation_mode": "exact", "cadence": {"id": "30min"}},
        },
    )
    return path, f"parks::camping::lake::{product}", (today.replace(day=1) + timedelta(days=32)).replace(day=15)


def cell_of(person: Person, day: Any) -> Locator:
    return person.page.locator(".dibs-heat td").filter(has=person.page.locator(f".dibs-heat-day:text-is('{day.day}')"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_calendar_has_no_serious_complaint(site: Site, at_browser: Any, scheme: str) -> None:
    path, key, day = make_product(site)
    site.api("POST", f"{path}/dates/{day}/allocate", {"quantity": 10, "reference": "r"})
    site.api("POST", "/api/cadences/30min/tick")
    person = at_browser(site, color_scheme=scheme)
    page = person.sign_in(f"/signals?product={key}&month={day:%Y-%m}")
    expect(cell_of(person, day)).to_have_class(re.compile("level-0"))
    assert complaints(page) == []
    person.picture(f"signals-{scheme}")


def test_a_change_is_marked_and_a_tick_caches_it(staff: Person) -> None:
    path, key, day = make_product(staff.site)
    page = staff.go(f"/signals?product={key}&month={day:%Y-%m}")
    cell = cell_of(staff, day)
    expect(cell).to_contain_text("10")
    expect(cell).to_have_class("level-4")
    staff.site.api("POST", f"{path}/dates/{day}/allocate", {"quantity": 8, "reference": "r"})
    expect(cell).to_have_class("level-4 is-marked")
    page.locator("tr", has_text="30min").get_by_role("button", name="Tick now").click()
    expect(cell).to_contain_text("2")
    expect(cell).to_have_class("level-1")
    expect(cell).to_have_attribute("title", re.compile(r"2 of 10\. Cached \d+ s ago, version 2"))
    assert staff.mistakes == []
    assert staff.outside == []


def test_the_month_stands_in_the_address(staff: Person) -> None:
    _, key, day = make_product(staff.site)
    page = staff.go(f"/signals?product={key}&month={day:%Y-%m}")
    expect(page.locator(".dibs-heat caption")).to_contain_text(f"{day:%B %Y}")
    page.get_by_role("button", name="Earlier month").click()
    earlier = day.replace(day=1) - timedelta(days=1)
    expect(page.locator(".dibs-heat caption")).to_contain_text(f"{earlier:%B %Y}")
    expect(page).to_have_url(re.compile(f"month={earlier:%Y-%m}"))
    staff.go("/signals?month=nonsense&product=nothing")
    assert staff.mistakes == []
