"""A worker process of the line alone, to be killed: python tests/line_worker.py DSN ORIGIN."""

from __future__ import annotations

import asyncio
import sys
import time
from datetime import UTC, datetime, timedelta

from dibs.app import parts_on
from dibs.capacity import loops as capacity_loops
from dibs.config import Config
from dibs.config.sections import Capacity, Database
from dibs.offers import Settings
from dibs.offers.loops import loops
from dibs.telemetry import configure_logs

# Six seconds pass in one: a hold lives for five, a lease for four, and all processes agree on the time.
SPEED = 6.0
SETTINGS = Settings(hold_ttl_s=30, max_lapses=1000, max_passed=3, first_for_s=18, lease_s=24, look_again_s=30)
START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class FastClock:
    """The wall clock, faster; `origin` is when it was noon of that day, in seconds since 1970."""

    def __init__(self, origin: float) -> None:
        self.origin = origin

    def now(self) -> datetime:
        return START + timedelta(seconds=(time.time() - self.origin) * SPEED)

    def for_database(self) -> datetime | None:
        return self.now()


def configuration(pool_size: int = 6) -> Config:
    return Config(database=Database(pool_size=pool_size), capacity=Capacity(sweep_interval_s=1))


async def main(dsn: str, origin: float) -> None:
    configure_logs("error", "json")
    async with parts_on(dsn, configuration(), FastClock(origin)) as parts:
        vars(parts)["line_settings"] = SETTINGS
        own = loops(parts.usher, parts.claim, parts.prune_line, parts.wake)
        for loop in [*own, *capacity_loops.loops(parts)]:  # pyright: ignore[reportArgumentType] -- a protocol's property does not match a cached one
            loop.start()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2])))
