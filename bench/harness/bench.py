"""What a benchmark is given."""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from psycopg import AsyncConnection
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Composed, Identifier

from dibs.app import parts_on
from dibs.clock import Clock, SystemClock
from dibs.config import Config
from dibs.db.embedded.binaries import installed
from dibs.parts import Parts

Work = Callable[[], Awaitable[float | int | None]]


@dataclass(frozen=True)
class Bench:
    """A clean migrated database, and the means to measure."""

    dsn: str
    quick: bool = False

    def sized(self, full: int, quick: int) -> int:
        """How much data: `quick` shows only that the benchmark works."""
        return quick if self.quick else full

    def say(self, text: str) -> None:
        """Progress, beside the results."""
        sys.stderr.write(f"  {text}\n")
        sys.stderr.flush()

    @asynccontextmanager
    async def parts(self, config: Config | None = None, clock: Clock | None = None) -> AsyncIterator[Parts]:
        """Everything a process has, over this database; no loop runs."""
        async with parts_on(self.dsn, config or Config(), clock or SystemClock()) as parts:
            yield parts

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection]:
        """A bare connection in autocommit, as a floor would open it."""
        async with await AsyncConnection.connect(self.dsn, autocommit=True) as connection:
            yield connection

    async def fill(self, *statements: str) -> None:
        """Run statements that make data, then let the planner know what is there."""
        async with self.connection() as connection:
            for statement in statements:
                await connection.execute(statement.encode())
            await connection.execute(b"VACUUM ANALYZE")
            await connection.execute(b"CHECKPOINT")

    async def compare(self, ours: Work, floor: Work, *, rounds: int = 5) -> tuple[float, float]:
        """Medians of both in units per second (or per call, if the work answers nothing).

        The two take turns, so that a busy moment of the machine meets both.
        """
        rounds = 2 if self.quick else rounds
        for work in (floor, ours):  # the first call pays for caches and plans
            await work()
        measured = [(await _per_second(floor), await _per_second(ours)) for _ in range(rounds)]
        return statistics.median(b for _, b in measured), statistics.median(a for a, _ in measured)

    async def pgbench(self, script: str, *, clients: int, seconds: float = 4.0) -> float:
        """Transactions per second of a pgbench script on this database."""
        seconds = 1 if self.quick else max(1, round(seconds))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "script.sql"
            file.write_text(script)
            command = [str(installed() / "pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", "1"]
            command += ["-T", str(seconds), "-f", str(file), self.dsn]
            process = await asyncio.create_subprocess_exec(
                *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
            )
            output, errors = await process.communicate()
        if process.returncode != 0:
            raise RuntimeError(f"pgbench failed: {errors.decode().strip()}")
        return next(float(line.split()[2]) for line in output.decode().splitlines() if line.startswith("tps ="))


async def _per_second(work: Work) -> float:
    started = time.perf_counter()
    done = await work()
    return (1 if done is None else done) / (time.perf_counter() - started)


@asynccontextmanager
async def clean_database(server_dsn: str, template: str) -> AsyncIterator[str]:
    """A clone of the migrated template, dropped at the end."""
    name = f"bench_{uuid4().hex}"
    await _admin(server_dsn, SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template)))
    try:
        yield make_conninfo(server_dsn, dbname=name)
    finally:
        await _admin(server_dsn, SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


async def _admin(server_dsn: str, statement: Composed) -> None:
    dsn = make_conninfo(server_dsn, dbname="postgres")
    async with await AsyncConnection.connect(dsn, autocommit=True) as connection:
        await connection.execute(statement)
