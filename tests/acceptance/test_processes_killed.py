"""`kill -9` of everything, then start: all is there and polling goes on. Real processes, the embedded server."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from aiohttp import web

from dibs.sim.server import SimServer
from process_harness import Process, until, write_config


class Park:
    """A provider with one park whose sites a test opens."""

    def __init__(self) -> None:
        self.sites = ["first"]

    async def answer(self, _request: web.Request) -> web.Response:
        return web.json_response({"sites": [{"id": site} for site in self.sites]})


def postgres_of(folder: Path) -> int:
    return int((folder / "data" / "postgres" / "postmaster.pid").read_text().split()[0])


async def opened(process: Process) -> set[str]:
    return {item["slot_key"] for item in (await process.get("/api/openings?within_minutes=60"))["items"]}


async def sees(process: Process, site: str) -> None:
    async def seen() -> bool:
        return site in await opened(process)

    await until(seen, f"{site} to be in the feed")


async def has_polled(process: Process, key: str) -> bool:
    return (await process.get(f"/api/watches/{key}"))["last_good_at"] is not None


@pytest.mark.timeout(400)
async def test_after_kill_9_of_everything_all_is_there_and_polling_goes_on(tmp_path: Path) -> None:
    park = Park()
    async with SimServer({("GET", "/{park}"): park.answer}).running() as provider:
        config = write_config(tmp_path, provider.url, interval_s=0.5)
        async with Process(config, "serve") as first:
            key = (await first.post("/api/watches", {"provider": "parks", "query": {"park": "cedar"}}))["key"]
            await until(lambda: has_polled(first, key), "the first poll")
            park.sites.append("second")
            await sees(first, "second")
            await first.kill()
            os.kill(postgres_of(tmp_path), signal.SIGKILL)
        park.sites.append("third")
        async with Process(config, "serve") as again:
            assert "second" in await opened(again)
            assert [watch["key"] for watch in (await again.get("/api/watches"))["items"]] == [key]
            await sees(again, "third")
            assert await opened(again) == {"second", "third"}


@pytest.mark.timeout(400)
async def test_a_postgres_that_dies_under_a_running_server_is_started_again(tmp_path: Path) -> None:
    park = Park()
    async with SimServer({("GET", "/{park}"): park.answer}).running() as provider:
        config = write_config(tmp_path, provider.url, interval_s=0.5)
        async with Process(config, "serve") as process:
            key = (await process.post("/api/watches", {"provider": "parks", "query": {"park": "cedar"}}))["key"]
            await until(lambda: has_polled(process, key), "the first poll")
            killed = postgres_of(tmp_path)
            os.kill(killed, signal.SIGKILL)
            await until(lambda: _restarted(tmp_path, killed), "another PostgreSQL")
            park.sites.append("later")

            async def recovered() -> bool:
                try:
                    return "later" in await opened(process)
                except AssertionError:  # 503 while the pool reconnects
                    return False

            await until(recovered, "polling to go on")


def _restarted(folder: Path, killed: int) -> bool:
    try:
        return postgres_of(folder) != killed
    except (OSError, IndexError):
        return False
