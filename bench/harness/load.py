"""Requests per second against an application that runs in a process of its own, as it does in production."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Served:
    """An application that accepts requests."""

    port: int

    @classmethod
    @asynccontextmanager
    async def start(cls, factory: str, *arguments: str) -> AsyncIterator[Served]:
        """`factory` is `module:function`; called with the arguments it is an async context manager of an app."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.harness.serve", factory, *arguments, stdout=asyncio.subprocess.PIPE, cwd=ROOT
        )
        assert process.stdout is not None
        try:
            line = await asyncio.wait_for(process.stdout.readline(), 60)
            if not line:
                raise RuntimeError(f"{factory} did not start")
            yield cls(int(json.loads(line)["port"]))
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            await process.wait()


async def request_rate(
    served: Served, path: str, *, clients: int = 8, seconds: float = 3.0, headers: dict[str, str] | None = None
) -> tuple[float, bytes]:
    """GET requests per second over kept-alive connections, and the last body; any other status is an error."""
    lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{served.port}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    request = "\r\n".join([*lines, "", ""]).encode()
    end = time.perf_counter() + seconds
    started = time.perf_counter()
    answers = await asyncio.gather(*(_repeat(served.port, request, end) for _ in range(clients)))
    elapsed = time.perf_counter() - started
    return sum(count for count, _ in answers) / elapsed, answers[0][1]


async def _repeat(port: int, request: bytes, end: float) -> tuple[int, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    count, body = 0, b""
    try:
        while count == 0 or time.perf_counter() < end:
            writer.write(request)
            body = await _answer(reader)
            count += 1
    finally:
        writer.close()
        await writer.wait_closed()
    return count, body


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(head.decode(errors="replace").splitlines()[0])
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    return await reader.readexactly(length)
