"""Real processes that use the embedded server of a folder, for tests that kill them.

Run as a script it is such a process: it starts the server, says so in one JSON line, and stops at the end of
its input.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg

DEADLINE_S = 60.0


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for a condition of another process."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, f"waited {DEADLINE_S:.0f} s for {what}"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """The process runs (a zombie does not)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


class User:
    """A process that uses the server."""

    def __init__(self, data_dir: Path, *, durable: bool = False, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(data_dir), "durable" if durable else "fast"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        self._said: dict[str, Any] | None = None

    @property
    def said(self) -> dict[str, Any]:
        """What it found: `dsn` and `pid` of the server, or its `error`."""
        if self._said is None:
            assert self.process.stdout is not None
            line = self.process.stdout.readline()
            assert line, f"the process ended with {self.process.wait()} and said nothing"
            self._said = json.loads(line)
        assert self._said is not None
        return self._said

    @property
    def dsn(self) -> str:
        return str(self.said["dsn"])

    @property
    def pid(self) -> int:
        """The server's process id."""
        return int(self.said["pid"])

    def leave(self) -> None:
        """Stop in good order."""
        self.process.communicate(timeout=DEADLINE_S)
        assert self.process.returncode == 0

    def kill(self) -> None:
        """kill -9"""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate(timeout=DEADLINE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.communicate(timeout=DEADLINE_S)


def answer(dsn: str, statement: str) -> list[tuple[Any, ...]]:
    """Rows of a statement, or nothing if it returns none."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def main(data_dir: Path, mode: str) -> None:
    """Use the server until the input ends."""
    from dibs.db.embedded import EmbeddedServer  # noqa: PLC0415 - the harness itself needs no dibs
    from dibs.errors import DibsError  # noqa: PLC0415

    if become := os.environ.get("TEST_BECOME"):
        os.setgroups([])
        os.setgid(int(become))
        os.setuid(int(become))
    if caches := os.environ.get("TEST_CACHES"):
        from dibs.db.embedded import binaries  # noqa: PLC0415

        binaries.CACHES = (Path(caches),)
    try:
        server = EmbeddedServer.start(data_dir, fast=mode == "fast")
    except DibsError as error:
        sys.stdout.write(json.dumps({"error": error.code, "detail": error.detail}) + "\n")
        return
    sys.stdout.write(json.dumps({"dsn": server.dsn, "pid": server.pid}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
