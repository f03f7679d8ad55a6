"""Rolling windows: a provider that is watched by the day keeps watches for the days to come."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from dibs.clock import Clock
from dibs.config import ResyProvider
from dibs.db import Database, Keyspace, advisory_lock
from dibs.watch import store
from dibs.watch.provider import WatchedProvider
from dibs.watch.watches import Watches
from dibs.work import Loop

LOOK_AGAIN_S = 60.0


def days(now: datetime, timezone: str, window_days: int) -> list[date]:
    """The days of the window: it starts yesterday, because further west it is still that day."""
    yesterday = now.astimezone(ZoneInfo(timezone)).date() - timedelta(days=1)
    return [yesterday + timedelta(days=offset) for offset in range(window_days)]


def wanted_queries(now: datetime, provider: ResyProvider) -> list[dict[str, str]]:
    return [
        {"date": day.isoformat(), "time_slot": time_slot}
        for day in days(now, provider.timezone, provider.window_days)
        for time_slot in provider.time_slots
    ]


class RollingWindows:
    """Creates the watches that a window wants and removes those that fell out of it."""

    def __init__(
        self, database: Database, clock: Clock, providers: Mapping[str, WatchedProvider], watches: Watches
    ) -> None:
        self._database = database
        self._clock = clock
        self._providers = providers
        self._watches = watches

    async def run_once(self) -> float:
        for provider in self._providers.values():
            if isinstance(provider.config, ResyProvider):
                await self._roll(provider, provider.config)
        return LOOK_AGAIN_S

    async def _roll(self, provider: WatchedProvider, config: ResyProvider) -> None:
        async with self._database.transaction() as connection:
            # Two processes that roll at once would only undo each other's work; one at a time.
            await advisory_lock(connection, Keyspace.WINDOW, provider.name)
            there = set(await store.list_rolling(connection, provider=provider.name))
            queries = wanted_queries(self._clock.now(), config)
            wanted = {f"{provider.name}:{provider.source.target(query).bucket_id}": query for query in queries}
            for key in sorted(wanted.keys() - there):
                await self._watches.add(provider.name, wanted[key], rolling=True)
            for key in sorted(there - wanted.keys()):
                await self._watches.remove(key, reason="its day has passed")

    def loop(self) -> Loop:
        return Loop("watch.window", self.run_once, idle_s=LOOK_AGAIN_S)
