"""The whole loop on the demo, in a real browser: from "nothing found" to "it is yours", and the page that tells it."""

from __future__ import annotations

import json
import queue
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from browser_harness import Person, Site, complaints

DEMO_TOKEN = "dibs-demo-admin-token"
NEW_YORK = "40.741,-73.9897,0.2"
AT, PARTY, MOST = "19:00", 8, 40
# What another process needs for a collection or a lapse, with much to spare.
PATIENCE_S = 100


class Inbox:
    """Where the two people in line are told."""

    def __init__(self) -> None:
        self._notices: defaultdict[str, queue.Queue[dict[str, Any]]] = defaultdict(queue.Queue)
        inbox = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                inbox._notices[self.path.strip("/")].put(json.loads(body)["data"])
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ARG002 -- as the library has it
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def address(self, name: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{name}"

    def next(self, name: str) -> dict[str, Any]:
        """What the person is told next; waits for it."""
        return self._notices[name].get(timeout=PATIENCE_S)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    made = Inbox()
    yield made
    made.close()


@pytest.fixture(scope="module")
def demo(new_site: Callable[[], Site], tmp_path_factory: pytest.TempPathFactory) -> Site:
    """`dibs demo` at four times its speed, at which an offer is kept for half a minute."""
    site = new_site()
    site.stop()
    site.start("demo", "--speed", "4", "--data-dir", str(tmp_path_factory.mktemp("demo")))
    site.token = DEMO_TOKEN
    return site


def fill(demo: Site, day: date) -> None:
    """Parties of eight, until no other fits."""
    wanted = {"restaurant": "blue-door", "party_size": PARTY, "date": day.isoformat(), "time": AT}
    for _ in range(MOST):
        held = demo.api("POST", "/api/staff/auto/quote", wanted)["hold_id"]
        if held is None:
            return
        demo.api("POST", "/api/staff/auto/confirm", {"hold_id": held, "guest": {"name": "A large party"}})
    raise AssertionError("the evening was never full")


def wait_in_line(demo: Site, day: date, address: str) -> None:
    wish = {"party_size": PARTY, "channel": "webhook", "address": address, "date": day.isoformat()}
    demo.api("POST", "/api/restaurants/blue-door/line", wish | {"time_from": AT, "time_to": AT})


@pytest.mark.timeout(400)
def test_from_nothing_found_to_it_is_yours(demo: Site, at_browser: Callable[..., Person], inbox: Inbox) -> None:
    person = at_browser(demo)
    _is_wanted_and_watched(person)

    # Nobody in the town does anything on an evening that far away.
    day = datetime.now(ZoneInfo("America/New_York")).date() + timedelta(days=3)
    fill(demo, day)
    for name in ("ann", "ben"):
        wait_in_line(demo, day, inbox.address(name))
    page = person.go(f"/line?restaurant=blue-door&day={day}")
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody tr").first).to_contain_text("waiting")

    # Somebody cancels: the first is told, and the table is kept for them.
    page = person.go(f"/floor?restaurant=blue-door&day={day}&at={AT}")
    page.get_by_role("button", name=re.compile("^Cancel:")).first.click()
    page.get_by_role("button", name="Cancel it").click()
    lapsed = inbox.next("ann")
    page = person.go(f"/line?restaurant=blue-door&day={day}")
    expect(page.locator("tbody tr").first).to_contain_text("offered")
    person.picture("loop-offered")

    # They let it lapse: the second is told, and claims it by the link, without any account.
    won = inbox.next("ben")
    booking_id = _claims(at_browser(demo), won["payload"]["claim_url"])

    # The floor shows it booked.
    booking = demo.api("GET", f"/api/bookings/{booking_id}")
    assert booking["status"] == "confirmed"
    page = person.go(f"/floor?restaurant=blue-door&day={day}&at={AT}")
    for number in _numbers(demo, {one["table_id"] for one in booking["assignments"]}):
        expect(page.locator(f"[data-table={number}]")).to_have_class(re.compile("is-booked"))

    # And the pages of both openings tell what became of them.
    page = person.go(f"/openings/{lapsed['open_event_id']}")
    expect(page.get_by_text("not claimed in time; it went to the next in line")).to_be_visible()
    page = person.go(f"/openings/{won['open_event_id']}")
    expect(page.get_by_text("claimed: it is theirs")).to_be_visible()
    person.picture("loop-trace")
    assert complaints(page) == []
    assert person.mistakes == []


def _is_wanted_and_watched(person: Person) -> None:
    page = person.sign_in(f"/demand?at={NEW_YORK}", DEMO_TOKEN)
    page.get_by_label("Look for").fill("Blue Door")
    page.get_by_role("button", name="Search this view").click()
    expect(page.get_by_text("We're expanding results for Blue Door")).to_be_visible()
    line = page.get_by_role("row").filter(has_text="Blue Door")
    expect(line).to_contain_text("completed", timeout=1000 * PATIENCE_S)
    line.get_by_role("button", name="Watch:").click()
    expect(line).to_contain_text("by hand, nobody asked")
    page.get_by_role("button", name="Search this view").click()
    expect(page.get_by_role("region", name="Found")).to_contain_text("Blue Door")
    person.picture("loop-found")


def _numbers(demo: Site, table_ids: set[str]) -> list[str]:
    floor = demo.api("GET", "/api/restaurants/blue-door/floor")
    tables = [table for zone in floor["zones"] for table in zone["tables"]]
    found = [table["number"] for table in tables if table["table_id"] in table_ids]
    assert found
    return found


def _claims(stranger: Person, url: str) -> str:
    page = stranger.page
    page.goto(url)
    expect(page.get_by_role("heading", level=1)).to_have_text("Kept for you")
    stranger.picture("loop-claim")
    assert complaints(page) == []
    page.get_by_role("button", name="Claim it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("It is yours")
    return page.get_by_text("Your booking:").locator("strong").last.inner_text()
