"""Sees to it that something looks at a provider for as long as a place of it is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from dibs.clock import Clock
from dibs.config import ResyProvider
from dibs.db import Database
from dibs.errors import Conflict, NotFound
from dibs.telemetry import emit
from dibs.telemetry import events_wanted as events
from dibs.wanted import store
from dibs.wanted.model import Group
from dibs.wanted.rules import cover, days_ahead
from dibs.watch import WatchedProvider, Watches

LOOK_AGAIN_S = 60.0


class Keep:
    """Makes the watches that a wanted place needs and nobody else made."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        providers: Mapping[str, WatchedProvider],
        watches: Watches,
        *,
        days: int,
    ) -> None:
        self._database = database
        self._clock = clock
        self._providers = providers
        self._watches = watches
        self._days = days

    async def ensure(self, group: Group) -> list[str]:
        """The watches that had to be made; refused where a person has to do something first."""
        if group.watch_key is None:
            return []
        config = self._providers[group.provider].config
        if isinstance(config, ResyProvider):
            return await self._by_day(group.provider, config)
        await self._look_at(group, group.watch_key)
        return []

    async def _look_at(self, group: Group, watch_key: str) -> None:
        """A provider that is asked by a template: only the watch that saw the place knows the query."""
        name = group.names[0]
        try:
            watch = await self._watches.get(watch_key)
        except NotFound:
            raise Conflict(
                f"No watch looks at {name} any more: {watch_key} was removed. Add a watch on {group.provider} first.",
                code="not_watchable",
            ) from None
        if watch.status == "paused":
            raise _paused(watch_key)

    async def _by_day(self, provider: str, config: ResyProvider) -> list[str]:
        today = self._clock.now().astimezone(ZoneInfo(config.timezone)).date()
        source = self._providers[provider].source
        queries: dict[str, dict[str, str]] = {}
        days: dict[str, date] = {}
        for day in days_ahead(today, self._days):
            for time_slot in config.time_slots:
                query = {"date": day.isoformat(), "time_slot": time_slot}
                key = f"{provider}:{source.target(query).bucket_id}"
                queries[key], days[key] = query, day
        async with self._database.connection() as connection:
            watching = await store.list_watching(connection, provider=provider, since=today)
        needed = cover(watching, list(queries))
        if needed.paused is not None:
            raise _paused(needed.paused or provider)
        await self._make(provider, {key: queries[key] for key in needed.missing}, days)
        return list(needed.missing)

    async def _make(self, provider: str, queries: dict[str, dict[str, str]], days: dict[str, date]) -> None:
        if not queries:
            return
        # First the note: a watch that nobody remembers having made would be polled for ever.
        async with self._database.transaction() as connection:
            await store.note_watches(connection, provider=provider, days={key: days[key] for key in queries})
        for query in queries.values():
            await self._watches.add(provider, query)

    async def run_once(self) -> float:
        """Renews what is wanted, and removes our watches whose day has passed."""
        by_day = {name: one.config for name, one in self._providers.items() if isinstance(one.config, ResyProvider)}
        async with self._database.connection() as connection:
            kept = await store.list_kept(connection, providers=list(by_day))
        for provider in sorted({place.provider for place in kept}):
            try:
                await self._by_day(provider, by_day[provider])
            except Conflict as error:
                emit(events.NOT_KEPT, provider=provider, reason=error.detail)
        await self._remove_past()
        return LOOK_AGAIN_S

    async def _remove_past(self) -> None:
        # Further west it is still yesterday.
        before = self._clock.now().date() - timedelta(days=1)
        async with self._database.connection() as connection:
            past = await store.list_past_watches(connection, before=before)
        for made in past:
            # Somebody may have removed it before us.
            with suppress(NotFound):
                await self._watches.remove(made.watch_key, reason="its day has passed")
            async with self._database.transaction() as connection:
                await store.forget_watch(connection, watch_key=made.watch_key)


def _paused(watch_key: str) -> Conflict:
    return Conflict(f"The watch {watch_key} is paused, and nothing else looks there; resume it first.", code="paused")
