"""Subscriptions and deliveries: seen, paused, snoozed, tried again."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from browser_harness import Person, Site, complaints, in_a_loop
from dibs.access import create_token
from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Config


class Endpoint:
    """A webhook's endpoint that answers as it is told, and remembers the ids it was sent."""

    def __init__(self) -> None:
        self.status = 204
        self.ids: list[str] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                endpoint.ids.append(self.headers["webhook-id"])
                self.send_response(endpoint.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- as the library names it
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hook"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.stop()


def subscribe(site: Site, topic: str, address: str = "") -> int:
    address = address or f"https://{uuid4().hex}.invalid/hook"
    body = {"topic": topic, "channel": "webhook", "address": address}
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


def test_a_notice_that_could_not_be_delivered_says_why(staff: Person) -> None:
    title = f"Upper Pines {uuid4().hex[:8]}"
    staff.site.opens(title, closes=True)
    slot = f"slot:camps:{title}"
    subscribe(staff.site, slot)
    staff.site.opens(title)
    page = staff.go("/deliveries")
    line = page.locator("tr", has_text=title)
    expect(line).to_contain_text(re.compile("failed|network|private_address"))
    assert staff.mistakes == []


def test_a_failed_notice_is_tried_again_by_a_click(staff: Person, endpoint: Endpoint) -> None:
    title = f"Lower Pines {uuid4().hex[:8]}"
    endpoint.status = 400
    number = subscribe(staff.site, f"slot:camps:{title}", endpoint.url)
    staff.site.opens(title)
    page = staff.go("/deliveries")
    line = page.locator("tr", has_text=title)
    expect(line).to_contain_text("failed")
    expect(line).to_contain_text("http_400")
    assert len(endpoint.ids) == 1, "a plain no is not tried again by itself"
    endpoint.status = 204
    line.get_by_role("button", name="Try again").click()
    expect(line).to_contain_text("sent")
    expect(line.get_by_role("button", name="Try again")).to_have_count(0)
    assert len(endpoint.ids) == 2
    assert len(set(endpoint.ids)) == 1, "under the id it had"
    page = staff.go(f"/subscriptions/{number}")
    expect(page.locator("tr", has_text="notify failed")).to_be_visible()
    expect(page.locator("tr", has_text="notify sent")).to_be_visible()
    assert staff.mistakes == []


async def token_to_read(site: Site) -> str:
    async with parts_on(site.dsn, Config(), SystemClock()) as parts:
        return (await create_token(parts.db, parts.clock, name=uuid4().hex, scope="read"))[0]


def test_only_an_administrator_tries_again(site: Site, at_browser: Any, endpoint: Endpoint) -> None:
    title = f"North Pines {uuid4().hex[:8]}"
    endpoint.status = 400
    subscribe(site, f"slot:camps:{title}", endpoint.url)
    site.opens(title)
    reader = at_browser(site)
    page = reader.sign_in("/deliveries", in_a_loop(token_to_read(site)))
    line = page.locator("tr", has_text=title)
    expect(line).to_contain_text("failed")
    endpoint.status = 204
    line.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_contain_text("needs a token with the scope admin")
    expect(line).to_contain_text("failed")
    assert len(endpoint.ids) == 1


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
