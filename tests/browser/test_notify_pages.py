"""Subscriptions and deliveries: seen, paused, snoozed, tried again."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from browser_harness import Person, Site, complaints


def subscribe(site: Site, topic: str) -> int:
    body = {"topic": topic, "channel": "webhook", "address": f"https://{uuid4().hex}.invalid/hook"}
    return int(site.api("POST", "/api/subscriptions", body)["subscription_id"])


def test_a_subscription_is_listed_paused_and_resumed(staff: Person) -> None:
    topic = f"watch:camps:<b>{uuid4().hex[:8]}</b>"
    number = subscribe(staff.site, topic)
    page = staff.go(f"/subscriptions?topic={topic}")
    line = page.locator("tr", has_text=topic)
    expect(line).to_contain_text("pending")
    line.get_by_role("button", name="Pause").click()
    expect(line).to_contain_text("paused")
    line.get_by_role("button", name="Resume").click()
    expect(line).to_contain_text("active")
    page = staff.go(f"/subscriptions/{number}")
    expect(page.locator("h1")).to_contain_text(f"Subscription {number}")
    expect(page.locator("tr", has_text="created")).to_be_visible()
    page.get_by_role("button", name="Snooze for 8 hours").click()
    expect(page.get_by_role("button", name="Wake up")).to_be_visible()
    assert staff.mistakes == []
    assert staff.outside == []


def test_a_notice_that_could_not_be_delivered_says_why_and_can_be_tried_again(staff: Person) -> None:
    title = f"Upper Pines {uuid4().hex[:8]}"
    staff.site.opens(title, closes=True)
    slot = f"slot:camps:{title}"
    subscribe(staff.site, slot)
    staff.site.opens(title)
    page = staff.go("/deliveries")
    line = page.locator("tr", has_text=title)
    expect(line).to_contain_text(re.compile("failed|network|private_address"))
    assert staff.mistakes == []


@pytest.mark.parametrize("path", ["/subscriptions", "/deliveries"])
def test_the_pages_have_no_serious_complaint(site: Site, at_browser: Any, path: str) -> None:
    subscribe(site, f"watch:camps:{uuid4().hex[:8]}")
    person = at_browser(site)
    page = person.sign_in(path)
    expect(page.locator("h1")).to_be_visible()
    assert complaints(page) == []


def test_a_subscription_that_is_not_there_says_so(staff: Person) -> None:
    page = staff.go("/subscriptions/999999999")
    expect(page.locator("#dibs-main")).to_contain_text("There is no subscription")
