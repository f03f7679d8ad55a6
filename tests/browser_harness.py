"""What browser tests work with: a real `dibs serve`, a JSON provider on loopback, a browser, and axe."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import Request, urlopen

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Config
from dibs.openings import NewEvent, SlotState, put_slots, record, slot_id_of, topics_of
from dibs.parts import Parts

T = TypeVar("T")

ROOT = Path(__file__).resolve().parent.parent
SCREENSHOTS = ROOT / "screenshots"
ADMIN = "a-token-for-the-browser-tests"
# Chromium on two busy cores: what takes 50 ms alone may take seconds.
PATIENCE_MS = 20_000
START_S = 90.0
FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
)
# Connected, letters and signs there, charts drawn.
STANDS = """() => window.did_handshake === true && document.fonts.status === 'loaded'
    && [...document.querySelectorAll('.dibs-chart')].every(c => c.offsetParent === null || c.querySelector('svg'))"""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
MISSING = (
    "The browser tests need Chromium, and found none. Install it (apt-get install chromium, or "
    "brew install --cask chromium), or name one: DIBS_CHROMIUM=/path/to/chromium"
)
CONFIG = """
[database]
url = {url}
[http]
host = "127.0.0.1"
port = 0
allow_private_targets = true
[auth]
admin_token = "{admin}"
[telemetry]
log_level = "warning"
[providers.camps]
kind = "json"
url = "{provider}/{{park}}"
slots = "slots[].{{id: id, title: title, url: url, starts_at: starts_at, open: open}}"
[providers.camps.cadence]
interval_s = 1.0
jitter = 0.0
[providers.broken]
kind = "json"
url = "http://127.0.0.1:9/{{park}}"
slots = "slots[]"
[providers.broken.cadence]
interval_s = 1.0
"""


def chromium_path() -> str | None:
    """The Chromium of this machine."""
    for name in (os.environ.get("DIBS_CHROMIUM", ""), *BROWSERS, MAC):
        found = shutil.which(name) if name else None
        if found:
            return found
    return None


def in_a_loop(work: Coroutine[Any, Any, T]) -> T:
    """Runs `work` in a thread of its own: the browser's driver occupies the loop of this one."""
    answer: list[T | BaseException] = []

    def run() -> None:
        try:
            answer.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 -- handed to the caller
            answer.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if isinstance(answer[0], BaseException):
        raise answer[0]
    return answer[0]


def wait_until(holds: Callable[[], Any], *, within_s: float = 60.0) -> Any:
    """Asks until the answer is true, and gives it."""
    deadline = time.monotonic() + within_s
    while not (answer := holds()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)
    return answer


class Provider:
    """A JSON API on loopback: `show` sets what a park has."""

    def __init__(self) -> None:
        self._parks: dict[str, list[dict[str, Any]]] = {}
        parks = self._parks

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps({"slots": parks.get(self.path.strip("/"), [])}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- as the library names it
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def show(self, park: str, *titles: str, **more: Any) -> None:
        self._parks[park] = [{"id": title, "title": title, "open": True, **more} for title in titles]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@dataclass
class Site:
    """A running `dibs serve`."""

    dsn: str
    config: Path
    provider: Provider
    arguments: tuple[str, ...] = ()
    url: str = ""
    token: str = ADMIN
    process: subprocess.Popen[str] | None = None
    said: list[str] = field(default_factory=list)

    def start(self, command_name: str = "serve", *options: str) -> None:
        """Starts it and waits until it says that it is ready."""
        chosen = self.arguments or (command_name, *options, "--config", str(self.config))
        command = [sys.executable, "-m", "dibs", *chosen]
        port = self.url.rsplit(":", 1)[1] if self.url else "0"
        self.process = subprocess.Popen(
            [*command, "--port", port],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env={name: value for name, value in os.environ.items() if not name.startswith("DIBS_")},
        )
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, args=(self.process, lines), daemon=True).start()
        deadline = time.monotonic() + START_S
        while (line := lines.get(timeout=max(0.1, deadline - time.monotonic()))) is not None:
            if line.startswith("dibs is ready on "):
                self.url = line.split()[-1]
                return
        raise RuntimeError("dibs did not start:\n" + "\n".join(self.said))

    def _read(self, process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
        assert process.stdout
        with process.stdout:
            for line in process.stdout:
                self.said.append(line.rstrip())
                lines.put(line.rstrip())
        lines.put(None)

    def stop(self, *, kill: bool = False) -> int:
        """Ends it; `kill` without a word."""
        assert self.process
        (self.process.kill if kill else self.process.terminate)()
        code = self.process.wait(30)
        self.process = None
        return code

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """Calls the HTTP API as admin."""
        request = Request(
            f"{self.url}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        with urlopen(request, timeout=30) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def opens(self, title: str, *, closes: bool = False, provider: str = "camps", **payload: Any) -> None:
        """Writes an opening (or its close) into the hub as a detector would."""
        in_a_loop(self._with_parts(title, closes, provider, payload))

    async def _with_parts(self, title: str, closes: bool, provider: str, payload: dict[str, Any]) -> None:
        async with parts_on(self.dsn, Config(), SystemClock()) as parts:
            await _write(parts, title, closes, provider, {"title": title, **payload})


async def _write(parts: Parts, title: str, closes: bool, provider: str, payload: dict[str, Any]) -> None:
    now = datetime.now(UTC)
    key = slot_id_of(provider, title)
    slot = SlotState(
        slot_id=key,
        provider=provider,
        slot_key=title,
        watch_key=f"{provider}:tests",
        group_key=title,
        starts_at=None,
        open=not closes,
        opened_at=now,
        closed_at=now if closes else None,
        last_seen_at=now,
        misses=0,
        generation=1,
        payload=payload,
    )
    event = NewEvent(
        provider=provider,
        watch_key=f"{provider}:tests",
        slot_id=key,
        slot_key=title,
        group_key=title,
        subject={"id": title},
        status_before="Open" if closes else "Closed",
        status_after="Closed" if closes else "Open",
        seat_delta=-1 if closes else 1,
        event_at=now,
        detected_by="poll",
        dedupe_key=f"{key}|{closes}|{now.isoformat()}",
        trace_id="0" * 32,
        payload=payload,
        topics=topics_of(provider, title, title, f"{provider}:tests"),
        generation=1,
        reason="new",
    )
    async with parts.db.transaction() as connection:
        await put_slots(connection, [slot])
        await record(connection, [event])


class Person:
    """Somebody at a browser: what they see, and what the page asked for behind their back."""

    def __init__(self, site: Site, context: BrowserContext) -> None:
        self.site = site
        self.context = context
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.outside: list[str] = []
        self.mistakes: list[str] = []
        self.page.on("request", self._note)
        self.page.on("pageerror", lambda error: self.mistakes.append(str(error)))
        self.page.on("console", lambda m: self.mistakes.append(m.text) if m.type == "error" else None)

    def _note(self, request: Any) -> None:
        own = (self.site.url, self.site.url.replace("http", "ws"), "data:", "blob:")
        if not request.url.startswith(own):
            self.outside.append(request.url)

    def sign_in(self, path: str = "/", token: str = ADMIN) -> Page:
        """Goes to `path`, having shown the token at the door without looking at it."""
        show_token(self.context, self.site, token)
        return self.go(path)

    def go(self, path: str) -> Page:
        """Opens a page and waits until it stands and is connected."""
        self.page.goto(f"{self.site.url}{path}")
        expect(self.page.get_by_role("heading", level=1)).to_be_visible(timeout=PATIENCE_MS)
        self.page.wait_for_function(STANDS, timeout=PATIENCE_MS)
        return self.page

    def picture(self, name: str, *, whole: bool = True) -> Path:
        """Takes a screenshot into the folder that is not committed."""
        SCREENSHOTS.mkdir(exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path, full_page=whole)
        return path


def show_token(context: BrowserContext, site: Site, token: str = ADMIN) -> None:
    """Opens a session for every page of `context`."""
    answer = context.request.post(f"{site.url}/sign-in", form={"token": token, "next": "/"}, max_redirects=0)
    assert answer.status == 303, answer.text()


def person_at(browser: Browser, site: Site, **options: Any) -> Person:
    """Somebody with a browser of their own, in New York unless said otherwise."""
    usual: dict[str, Any] = {
        "viewport": {"width": 1280, "height": 860},
        "locale": "en-US",
        "timezone_id": "America/New_York",
        "reduced_motion": "reduce",
    }
    return Person(site, browser.new_context(**usual | options))


def complaints(page: Page) -> list[str]:
    """What axe finds that is serious or critical, and everything about contrast, names and roles."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {node['target']} {node['html'][:160]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def forget(person: Person) -> None:
    with suppress(Exception):
        person.context.close()
