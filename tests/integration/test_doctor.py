"""The doctor on a real database and real sockets."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from dibs.clock import SystemClock
from dibs.doctor import Finding, examine


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[str]:
    """A host that says the same to everybody."""

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(say, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def findings_of(**environment: str) -> dict[str, Finding]:
    found = await examine(None, {f"DIBS_{name}": value for name, value in environment.items()}, SystemClock())
    return {finding.subject: finding for finding in found}


async def test_a_migrated_database_and_a_provider_that_answers_are_well(dsn: str) -> None:
    async with answering(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n") as url:
        found = await findings_of(
            DATABASE__URL=dsn,
            HTTP__ALLOW_PRIVATE_TARGETS="true",
            PROVIDERS__CAMPS__KIND="json",
            PROVIDERS__CAMPS__URL=url + "/{park}",
            PROVIDERS__CAMPS__SLOTS="sites",
        )
    for subject in ("database", "extensions", "schema", "clock", "provider camps"):
        assert found[subject].state == "ok", found[subject]


async def test_a_provider_inside_is_a_problem_unless_allowed(dsn: str) -> None:
    async with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as url:
        found = await findings_of(
            DATABASE__URL=dsn,
            PROVIDERS__CAMPS__KIND="json",
            PROVIDERS__CAMPS__URL=url,
            PROVIDERS__CAMPS__SLOTS="sites",
        )
    assert found["provider camps"].state == "problem"
    assert "allow_private_targets" in found["provider camps"].todo


async def test_a_provider_that_nobody_serves_is_a_problem(dsn: str) -> None:
    async with answering(b"") as url:
        pass  # the port is free again
    found = await findings_of(
        DATABASE__URL=dsn,
        HTTP__ALLOW_PRIVATE_TARGETS="true",
        PROVIDERS__CAMPS__KIND="json",
        PROVIDERS__CAMPS__URL=url,
        PROVIDERS__CAMPS__SLOTS="sites",
    )
    assert found["provider camps"].state == "problem"


async def test_a_database_that_does_not_answer_is_a_problem_with_what_to_do(tmp_path: Path) -> None:
    found = await findings_of(DATABASE__URL=f"host={tmp_path} dbname=nothing")
    assert found["database"].state == "problem"
    assert "database.url" in found["database"].todo
    assert "schema" not in found


async def test_a_wrong_key_is_the_only_finding() -> None:
    found = await findings_of(HTTP__PORTT="1")
    assert [*found] == ["configuration"]
    assert "http.portt" in found["configuration"].detail


def test_the_command_shows_brackets_and_exits_1_on_a_problem(tmp_path: Path) -> None:
    config = tmp_path / "dibs.toml"
    config.write_text(f'[database]\nurl = "host={tmp_path} dbname=nothing"\n')
    done = subprocess.run(
        [sys.executable, "-m", "dibs", "doctor", "--config", str(config)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "problem" in done.stdout
    assert "[providers.NAME]" in done.stdout
