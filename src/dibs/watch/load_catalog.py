"""Reads catalogs: courses.json of every term and campus that is watched, at a pace of its own."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta

import msgspec

from dibs import openings
from dibs.clock import Clock
from dibs.config import Pace, SocProvider
from dibs.db import Connection, Database, Keyspace, advisory_lock
from dibs.errors import Invalid
from dibs.openings import SlotState, slot_id_of
from dibs.sources import Client, Detail, Failure, Fault, Request, Response, Target
from dibs.sources.body import refuse_page, source_hash
from dibs.sources.pace import ProviderPace
from dibs.sources.soc import SocSource
from dibs.sources.soc_catalog import MAX_CATALOG, Catalog, read_catalog
from dibs.telemetry import emit, events_watch
from dibs.watch import catalog_store, ingest_store, store
from dibs.watch.catalog import enriched
from dibs.watch.events import storable
from dibs.watch.ingest import Ingest
from dibs.watch.provider import WatchedProvider
from dibs.work import Loop, Queue, claim, settle

# A term that nobody watches any more is not read any more.
WATCHED = """EXISTS (SELECT FROM watch WHERE watch.provider = item.provider
             AND watch.bucket_id = item.term_id || ':' || item.campus_code)"""
QUEUE = Queue(table="catalog_load", key="load_key", ready=WATCHED)
TIMEOUT_S = 60.0
PACE = Pace(workers=1, gap_ms=1200, degraded_workers=1, degraded_gap_ms=1200, timeout_s=TIMEOUT_S, recover_after=1)
LOOK_AGAIN_S = 30.0
RETRY_S = 300.0
BUSY_S = 2.0
FRESH_S = 900.0
"""The catalog is cached for this long, so the heartbeat is the fresher witness unless it was silent longer."""


class CatalogLoader:
    def __init__(
        self,
        database: Database,
        clock: Clock,
        client: Client,
        providers: Mapping[str, WatchedProvider],
        ingest: Ingest,
        worker: str,
    ) -> None:
        self._database = database
        self._clock = clock
        self._client = client
        self._providers = {name: one for name, one in providers.items() if isinstance(one.config, SocProvider)}
        self._paces = {name: ProviderPace(f"{name}/catalog", PACE, clock) for name in self._providers}
        self._ingest = ingest
        self._worker = worker

    async def run_once(self) -> float:
        """Reads one catalog that is due; 0 when there may be more."""
        if not self._providers:
            return LOOK_AGAIN_S
        async with self._database.transaction() as connection:
            await catalog_store.plan_catalogs(connection, providers=list(self._providers), at=self._clock.now())
            taken = await claim(
                connection,
                QUEUE,
                limit=1,
                lease_s=TIMEOUT_S + 60,
                worker=self._worker,
                now=self._clock.for_database(),
            )
            load = await catalog_store.get_catalog_load(connection, load_key=taken.keys[0]) if taken.keys else None
        if load is None:
            return LOOK_AGAIN_S
        wait_s = await self._load(load)
        async with self._database.transaction() as connection:
            due = self._clock.now() + timedelta(seconds=wait_s)
            await settle(connection, QUEUE, taken.token, {load.load_key: due})
        return BUSY_S if wait_s == BUSY_S else 0.0

    async def _load(self, load: catalog_store.CatalogLoad) -> float:
        """Answers in how many seconds this catalog is due again."""
        provider = self._providers.get(load.provider)
        if provider is None or not isinstance(provider.config, SocProvider):
            return RETRY_S
        answer = await self._fetch(provider, Target("", {"term": load.term_id, "campus": load.campus_code}))
        if isinstance(answer, Failure):
            if answer.fault is Fault.OURS:
                return BUSY_S
            await self._failed(load, answer.reason)
            return RETRY_S
        digest = source_hash([answer.body])
        if digest != load.source_hash or await self._silent(load):
            try:
                catalog = read_catalog(answer.body)
            except msgspec.DecodeError:
                await self._failed(load, "not_a_catalog")
                return RETRY_S
            await self.put(load.provider, load.term_id, load.campus_code, catalog, digest)
        return provider.config.catalog_interval_s or FRESH_S

    async def _silent(self, load: catalog_store.CatalogLoad) -> bool:
        """Whether the heartbeat has said nothing for so long that the catalog's own statuses count."""
        async with self._database.connection() as connection:
            watch = await store.get_watch(connection, watch_key=load.load_key)
        return watch is not None and _is_silent(watch.last_good_at, self._clock.now())

    async def _fetch(self, provider: WatchedProvider, target: Target) -> Response | Failure:
        source, pace = provider.source, self._paces[provider.name]
        if not isinstance(source, SocSource):
            raise TypeError("only a schedule of classes has a catalog")
        async with self._database.transaction() as connection:
            lanes = await pace.take(connection, 1)
        if not lanes:
            return Failure(Fault.OURS, "provider_busy")
        answer = await self._client.ask(
            Request(source.url("courses.json", target)), timeout_s=TIMEOUT_S, max_body=MAX_CATALOG
        )
        page = None if isinstance(answer, Failure) else refuse_page(answer)
        async with self._database.transaction() as connection:
            await pace.rest(connection, lanes)
            if isinstance(answer, Failure):
                await pace.failed(connection, answer)
            else:
                await pace.succeeded(connection, lanes)
        return page or answer

    async def _failed(self, load: catalog_store.CatalogLoad, reason: str) -> None:
        async with self._database.transaction() as connection:
            await catalog_store.settle_catalog_load(
                connection, load_key=load.load_key, source_hash=None, items=None, reason=reason, at=self._clock.now()
            )
        emit(events_watch.CATALOG_FAILED, catalog=load.load_key, reason=reason)

    async def put(self, provider: str, term: str, campus: str, catalog: Catalog, digest: str | None) -> int:
        """Saves the catalog; answers how many sections were new or different."""
        now = self._clock.now()
        watched = self._providers.get(provider)
        if watched is None:
            raise Invalid(f"provider {provider} is not configured with kind soc.", field="provider")
        rows = [_item(one) for one in map(asdict, catalog.sections.values())]
        async with self._database.transaction() as connection:
            await advisory_lock(connection, Keyspace.CATALOG, f"{provider}:{term}:{campus}")
            changed = await catalog_store.put_catalog_items(
                connection, provider=provider, term_id=term, campus_code=campus, items=rows, at=now
            )
            await catalog_store.settle_catalog_load(
                connection,
                load_key=f"{provider}:{term}:{campus}",
                source_hash=digest,
                items=len(rows),
                reason=f"{catalog.skipped} unreadable records" if catalog.skipped else "",
                at=now,
            )
            await self._list_hidden(connection, watched, term, campus, now)
            await self._relabel(connection, watched, term, campus)
        emit(events_watch.CATALOG_LOADED, catalog=f"{provider}:{term}:{campus}", sections=len(rows), changed=changed)
        await self._reconcile(watched, term, campus, catalog)
        return changed

    async def _list_hidden(
        self, connection: Connection, provider: WatchedProvider, term: str, campus: str, now: datetime
    ) -> None:
        """Sections that were left out for want of an entry are available from now on, without an event."""
        if not isinstance(provider.config, SocProvider) or not provider.config.catalog_only:
            return
        watch_key = f"{provider.name}:{term}:{campus}"
        await advisory_lock(connection, Keyspace.SLOT, provider.name)
        keys = await catalog_store.list_unlisted_slots(connection, watch_key=watch_key)
        slots = [
            SlotState(
                slot_id=slot_id_of(provider.name, detail.slot_key),
                provider=provider.name,
                slot_key=detail.slot_key,
                watch_key=watch_key,
                group_key=detail.group_key,
                starts_at=None,
                open=True,
                opened_at=now,
                closed_at=None,
                last_seen_at=now,
                misses=0,
                generation=1,
                payload=detail.payload,
            )
            for detail in await self._described(connection, provider, term, campus, keys)
            if not detail.hidden
        ]
        await openings.put_slots(connection, slots)
        await ingest_store.reread_watch(connection, watch_key=watch_key)

    async def _relabel(self, connection: Connection, provider: WatchedProvider, term: str, campus: str) -> None:
        """Sections that opened before their entry came are called what it says from now on."""
        watch_key = f"{provider.name}:{term}:{campus}"
        await advisory_lock(connection, Keyspace.SLOT, provider.name)
        keys = await catalog_store.list_mislabelled_slots(
            connection, provider=provider.name, term_id=term, campus_code=campus, watch_key=watch_key
        )
        if not keys:
            return
        named = await self._described(connection, provider, term, campus, keys)
        own = [{"slot_key": one.slot_key, "group_key": one.group_key} for one in named]
        await catalog_store.relabel_watch_slots(connection, watch_key=watch_key, labels=own)
        labels = [
            {
                "slot_id": slot_id_of(provider.name, one.slot_key),
                "group_key": one.group_key,
                "payload": storable(one.payload),
            }
            for one in named
        ]
        await openings.relabel_slots(connection, labels)

    @staticmethod
    async def _described(
        connection: Connection, provider: WatchedProvider, term: str, campus: str, slot_keys: list[str]
    ) -> list[Detail]:
        items = await catalog_store.list_catalog_items(
            connection,
            provider=provider.name,
            term_id=term,
            campus_code=campus,
            indexes=[key.rpartition("|")[2] for key in slot_keys],
        )
        known = {item.index_number: item for item in items}
        return [enriched(provider.source.named(key), known, only=True) for key in slot_keys]

    async def _reconcile(self, provider: WatchedProvider, term: str, campus: str, catalog: Catalog) -> None:
        """Where the heartbeat has been silent, the catalog's own statuses fill in."""
        now, key = self._clock.now(), f"{provider.name}:{term}:{campus}"
        async with self._database.connection() as connection:
            watch = await store.get_watch(connection, watch_key=key)
            known = set(await catalog_store.list_open_slot_keys(connection, watch_key=key))
        if watch is None or not _is_silent(watch.last_good_at, now):
            return
        said = {f"{term}|{campus}|{one.index_number}": one.is_open for one in catalog.sections.values()}
        different = [slot for slot, is_open in said.items() if is_open is not None and is_open != (slot in known)]
        policy = provider.policy(watch.policy)
        if len(different) >= max(policy.gate_drop_ratio * len(known), policy.gate_min_drop):
            return
        for slot in different:
            await self._ingest.reconcile(provider.name, slot, "Open" if said[slot] else "Closed", "courses.json")

    def loop(self) -> Loop:
        return Loop("watch.catalog", self.run_once, idle_s=LOOK_AGAIN_S)


def _is_silent(last_good_at: datetime | None, now: datetime) -> bool:
    return last_good_at is not None and (now - last_good_at).total_seconds() >= FRESH_S


def _item(section: dict[str, object]) -> dict[str, object]:
    names = ("index_number", "course_string", "title", "section", "meetings", "details")
    return {name: storable(section[name]) for name in names}
