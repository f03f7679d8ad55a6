"""Watches as people handle them: add, list, change, remove."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from dibs import openings
from dibs.clock import Clock
from dibs.config import Cadence, Policy
from dibs.db import Database, Keyspace, advisory_lock
from dibs.errors import Conflict, Invalid, NotFound
from dibs.openings import SlotClosing
from dibs.telemetry import emit, events_watch
from dibs.watch import state_store, store
from dibs.watch.provider import WatchedProvider
from dibs.watch.state_store import Snapshot
from dibs.watch.status import Health, WatchStatus, status_of
from dibs.watch.store import WatchRow

UNCONFIGURED = "the provider is not configured any more"


class Watch(Struct, frozen=True, kw_only=True):
    """A watch as the API shows it."""

    key: str
    provider: str
    query: dict[str, str]
    policy: dict[str, Any]
    cadence: dict[str, Any]
    status: WatchStatus
    reason: str
    open_count: int
    last_polled_at: datetime | None
    last_good_at: datetime | None
    last_changed_at: datetime | None
    next_poll_at: datetime | None
    consecutive_failures: int
    rolling: bool
    created_at: datetime


class Watches:
    """The verbs about watches."""

    def __init__(self, database: Database, clock: Clock, providers: Mapping[str, WatchedProvider]) -> None:
        self._database = database
        self._clock = clock
        self._providers = providers

    async def add(
        self,
        provider: str,
        query: dict[str, Any],
        policy: dict[str, Any] | None = None,
        cadence: dict[str, Any] | None = None,
        *,
        rolling: bool = False,
    ) -> tuple[Watch, bool]:
        """The watch on this query, and whether it is new."""
        watched = self._provider(provider)
        target = watched.source.target(query)
        watched.policy(policy or {})
        watched.cadence(cadence or {})
        key = f"{provider}:{target.bucket_id}"
        async with self._database.transaction() as connection:
            created = await store.create_watch(
                connection,
                watch_key=key,
                provider=provider,
                bucket_id=target.bucket_id,
                query=target.query,
                policy=policy or {},
                cadence=cadence or {},
                target_date=watched.source.target_date(target),
                rolling=rolling,
                at=self._clock.now(),
            )
            row = await store.get_watch(connection, watch_key=key)
        if row and row.query != target.query:
            raise Conflict(f"{key} watches another query: {_words(row.query)}.", code="key_taken")
        if created:
            emit(events_watch.WATCH_CREATED, watch=key)
        return self._shown(_there(row, key)), created

    def _provider(self, name: str) -> WatchedProvider:
        provider = self._providers.get(name)
        if provider is None:
            known = ", ".join(sorted(self._providers)) or "none"
            raise Invalid(f"provider {name} is not configured; configured are: {known}.", field="provider")
        return provider

    async def get(self, key: str) -> Watch:
        async with self._database.connection() as connection:
            return self._shown(_there(await store.get_watch(connection, watch_key=key), key))

    async def page(self, *, limit: int, after: str | None = None, provider: str | None = None) -> list[Watch]:
        async with self._database.connection() as connection:
            rows = await store.list_watches(connection, after=after, provider=provider, limit=limit)
        return [self._shown(row) for row in rows]

    async def change(
        self,
        key: str,
        *,
        policy: dict[str, Any] | None = None,
        cadence: dict[str, Any] | None = None,
        paused: bool | None = None,
    ) -> Watch:
        """Merges what is given into the watch's own settings; a null value goes back to the provider's."""
        async with self._database.transaction() as connection:
            row = _there(await store.get_watch(connection, watch_key=key), key)
            watched = self._providers.get(row.provider)
            merged_policy, merged_cadence = _merged(row.policy, policy), _merged(row.cadence, cadence)
            if watched:
                watched.policy(merged_policy or {})
                watched.cadence(merged_cadence or {})
            await store.change_watch(
                connection,
                watch_key=key,
                policy=merged_policy,
                cadence=merged_cadence,
                paused=paused,
                at=self._clock.now(),
            )
            return self._shown(_there(await store.get_watch(connection, watch_key=key), key))

    async def remove(self, key: str, reason: str = "removed") -> None:
        """Forgets the watch; slots that only it could see are no longer known to be open."""
        now = self._clock.now()
        async with self._database.transaction() as connection:
            row = _there(await store.get_watch(connection, watch_key=key), key)
            await advisory_lock(connection, Keyspace.SLOT, row.provider)
            lone = await store.list_lone_slots(connection, watch_key=key)
            await openings.close_slots(connection, [SlotClosing(slot_id=one, at=now) for one in lone])
            await state_store.forget_elsewhere(connection, watch_key=key, slot_ids=lone)
            heirs = await store.list_heirs(connection, watch_key=key)
            await openings.hand_over_slots(connection, key, heirs)
            await store.delete_watch(connection, watch_key=key)
        emit(events_watch.WATCH_REMOVED, watch=key, reason=reason)

    async def snapshots(
        self, key: str, *, since: datetime, limit: int, before: tuple[datetime, int] | None = None
    ) -> list[Snapshot]:
        async with self._database.connection() as connection:
            _there(await store.get_watch(connection, watch_key=key), key)
            return await state_store.list_snapshots(connection, watch_key=key, since=since, limit=limit, before=before)

    async def snapshot(self, snapshot_id: int) -> Snapshot | None:
        async with self._database.connection() as connection:
            return await state_store.get_snapshot(connection, snapshot_id=snapshot_id)

    def _shown(self, row: WatchRow) -> Watch:
        watched = self._providers.get(row.provider)
        status, reason = status_of(_health(row)) if watched else ("failing", UNCONFIGURED)
        policy: Policy | dict[str, Any] = watched.policy(row.policy) if watched else row.policy
        cadence: Cadence | dict[str, Any] = watched.cadence(row.cadence) if watched else row.cadence
        return Watch(
            key=row.watch_key,
            provider=row.provider,
            query=row.query,
            policy=msgspec.to_builtins(policy),
            cadence=msgspec.to_builtins(cadence),
            status=status,
            reason=reason,
            open_count=row.open_count,
            last_polled_at=row.last_polled_at,
            last_good_at=row.last_good_at,
            last_changed_at=row.last_changed_at,
            next_poll_at=None if row.paused else row.due_at,
            consecutive_failures=row.consecutive_failures,
            rolling=row.rolling,
            created_at=row.created_at,
        )


def _there(row: WatchRow | None, key: str) -> WatchRow:
    if row is None:
        raise NotFound(f"There is no watch {key}.")
    return row


def _words(query: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in query.items())


def _merged(own: dict[str, Any], change: dict[str, Any] | None) -> dict[str, Any] | None:
    if change is None:
        return None
    return {name: value for name, value in {**own, **change}.items() if value is not None}


def _health(row: WatchRow) -> Health:
    return Health(
        paused=row.paused,
        polled=row.last_polled_at is not None,
        outcome=row.outcome,
        reason=row.reason,
        configuration_fault=row.configuration_fault,
        consecutive_failures=row.consecutive_failures,
        suspect=row.suspect,
        provider_degraded=row.provider_degraded,
    )
