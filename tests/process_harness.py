"""Real `dibs` processes for tests that start, kill and start them again."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

DEADLINE_S = 100.0
ADMIN = "test-admin-token-of-a-process"


async def until(condition: Callable[[], Awaitable[bool] | bool], what: str) -> None:
    """Waits for something that another process does."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        found = condition()
        if await found if isinstance(found, Awaitable) else found:
            return
        assert time.monotonic() < deadline, f"waited {DEADLINE_S:.0f} s for {what}"
        await asyncio.sleep(0.05)


class Process:
    """`dibs COMMAND`, ready to be used; ended in good order unless a test kills it."""

    def __init__(self, config: Path, *command: str) -> None:
        self._command = [sys.executable, "-m", "dibs", *command, "--config", str(config)]
        self._log = config.with_suffix(".log")
        self._process: asyncio.subprocess.Process | None = None
        self.url = ""

    async def __aenter__(self) -> Self:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env={**os.environ, "DIBS_AUTH__ADMIN_TOKEN": ADMIN, "PYTHONUNBUFFERED": "1"},
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(DEADLINE_S):
            while line := (await self._process.stdout.readline()).decode():
                if "is ready" in line:
                    self.url = line.rpartition(" ")[2].strip()
                    return self
        raise AssertionError(f"{' '.join(self._command)} ended: {self._log.read_text()[-2000:]}")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def kill(self) -> None:
        """kill -9"""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        await self._process.wait()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(DEADLINE_S):
                await self._process.communicate()
            assert self._process.returncode == 0, self._log.read_text()[-2000:]

    async def get(self, path: str) -> Any:
        """The JSON of an answer, which must be a good one."""
        return await self._ask("GET", path)

    async def post(self, path: str, body: Any) -> Any:
        return await self._ask("POST", path, json=body)

    async def _ask(self, method: str, path: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {ADMIN}"}
        async with httpx.AsyncClient(base_url=self.url, headers=headers, timeout=DEADLINE_S) as client:
            answer = await client.request(method, path, **options)
        assert answer.is_success, answer.text
        return answer.json()


def write_config(folder: Path, provider_url: str, *, dsn: str = "", interval_s: float, timeout_s: float = 5.0) -> Path:
    """A configuration with one JSON provider `parks` that needs the variable `park`."""
    file = folder / "dibs.toml"
    file.write_text(
        f"""
data_dir = "data"
[database]
url = "{dsn}"
[http]
port = 0
allow_private_targets = true
[providers.parks]
kind = "json"
url = "{provider_url}/{{park}}"
slots = "sites[].{{id: id, title: id}}"
[providers.parks.cadence]
interval_s = {interval_s}
jitter = 0.0
[providers.parks.pace]
gap_ms = 0
timeout_s = {timeout_s}
"""
    )
    return file
