"""`console`: a cold demo in a real browser — the first opening on screen, the overview's first paint, memory.

There is no floor: these are reported, and the first opening has its own bound of 10 s after the server is ready.
An hour of the demo's world is played at `--speed`, so that what piles up with events is there to be measured.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from bench.harness import Bench, Result

ADMIN = "dibs-demo-admin-token"
HOUR_S = 3600.0
SPEED = 30.0
START_S = 120.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update")
PAINT = "() => performance.getEntriesByType('paint').find(p => p.name === 'first-contentful-paint')?.startTime"


async def run(bench: Bench) -> list[Result]:
    path = next(filter(None, map(shutil.which, (os.environ.get("DIBS_CHROMIUM", ""), *BROWSERS))), None)
    assert path, "this needs Chromium: apt-get install chromium, or DIBS_CHROMIUM=/path/to/it"
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            async with _demo(speed=1.0) as demo:
                first = await _first_opening(browser, demo)
                paints = await _paints(browser, demo, rounds=bench.sized(7, 2))
            async with _demo(speed=SPEED) as demo:
                before = demo.resident_mib()
                await _leave_open(browser, demo, for_s=HOUR_S / SPEED if not bench.quick else 5.0)
                after = demo.resident_mib()
        finally:
            await browser.close()
    played = "an hour" if not bench.quick else f"{5 * SPEED / 60:.0f} min"
    return [
        Result("console.opening", first, "s", at_most=10.0, note="cold demo ready → first opening on screen"),
        Result("console.paint", statistics.median(paints), "ms", note="overview, first contentful paint, warm cache"),
        Result(
            "console.memory", after, "MiB", note=f"server after {played} of demo, overview open; {before:.0f} before"
        ),
    ]


class _Demo:
    def __init__(self, process: asyncio.subprocess.Process, url: str, ready_at: float) -> None:
        self.process = process
        self.url = url
        self.ready_at = ready_at

    def resident_mib(self) -> float:
        """The memory of the server's process; 0 where the system does not tell."""
        status = Path(f"/proc/{self.process.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        kib = next((int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0)
        return kib / 1024


@asynccontextmanager
async def _demo(*, speed: float) -> AsyncIterator[_Demo]:
    with tempfile.TemporaryDirectory(prefix="dibs-bench-console-") as folder:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("DIBS_")}
        process = await asyncio.create_subprocess_exec(
            *(
                sys.executable,
                "-m",
                "dibs",
                "demo",
                "--port",
                "0",
                "--speed",
                f"{speed:g}",
                "--data-dir",
                f"{folder}/demo",
            ),
            cwd=folder,
            env=clean,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            url = await asyncio.wait_for(_ready(process), START_S)
            yield _Demo(process, url, time.perf_counter())
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(process.wait(), 30)


async def _ready(process: asyncio.subprocess.Process) -> str:
    assert process.stdout
    async for line in process.stdout:
        if line.startswith(b"dibs is ready on "):
            # Read on in the background, so that a full pipe never stops the server.
            asyncio.get_running_loop().create_task(process.stdout.read())
            return line.split()[-1].decode()
    raise RuntimeError("the demo ended before it was ready")


async def _first_opening(browser: Browser, demo: _Demo) -> float:
    context, page = await _signed_in(browser, demo)
    await page.goto(f"{demo.url}/openings")
    await page.locator(".dibs-live-list li").first.wait_for(timeout=60_000)
    took = time.perf_counter() - demo.ready_at
    await context.close()
    return took


async def _paints(browser: Browser, demo: _Demo, *, rounds: int) -> list[float]:
    context, page = await _signed_in(browser, demo)
    await page.goto(f"{demo.url}/")
    await page.locator("h1").wait_for()
    paints: list[float] = []
    for _ in range(rounds):
        await page.goto(f"{demo.url}/")
        await page.locator("h1").wait_for()
        paints.append(float(await page.evaluate(PAINT) or 0))
    await context.close()
    return paints


async def _leave_open(browser: Browser, demo: _Demo, *, for_s: float) -> None:
    context, page = await _signed_in(browser, demo)
    await page.goto(f"{demo.url}/")
    await asyncio.sleep(for_s)
    await context.close()


async def _signed_in(browser: Browser, demo: _Demo) -> tuple[BrowserContext, Page]:
    context = await browser.new_context(viewport={"width": 1280, "height": 860})
    await context.request.post(f"{demo.url}/sign-in", form={"token": ADMIN, "next": "/"}, max_redirects=0)
    return context, await context.new_page()
