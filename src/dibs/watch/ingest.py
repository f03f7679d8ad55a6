"""The ingest path: what somebody else saw of a slot, reconciled with what the heartbeat knows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from psycopg.errors import DeadlockDetected

from dibs import openings
from dibs.clock import Clock
from dibs.config import SocProvider
from dibs.db import Connection, Database, Keyspace, advisory_lock
from dibs.errors import Invalid, NotFound
from dibs.openings import slot_id_of
from dibs.sources import Detail
from dibs.telemetry import new_trace_id
from dibs.watch import events, ingest_store, state_store
from dibs.watch.catalog import enriched
from dibs.watch.catalog_store import list_catalog_items
from dibs.watch.detect import FRESH_S, closing, occupied_groups, opening
from dibs.watch.ingest_store import SlotWatch
from dibs.watch.model import Change, Look, Memory, Reason, SlotStatus
from dibs.watch.provider import WatchedProvider
from dibs.watch.write import write_changes

CACHED_FOR_S = 60.0
"""The list of open sections is cached for 30 s on its way: for twice that it may not know what was reported."""
AHEAD_S = 300.0


@dataclass(frozen=True, slots=True)
class StatusReport:
    provider: str
    slot_key: str
    status: SlotStatus
    source: str
    observed_at: datetime


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a report came to; `verdict` is a reason of detection, `stale` or `recorded`."""

    status_event_id: int
    verdict: str
    open_event_id: int | None


@dataclass(frozen=True, slots=True)
class Subject:
    """The slot a report is about, and everything known of it."""

    report: StatusReport
    provider: WatchedProvider
    watch: SlotWatch
    detail: Detail
    known: state_store.SlotRow | None

    @property
    def memory(self) -> Memory | None:
        return self.known.memory if self.known else None


class Ingest:
    def __init__(self, database: Database, clock: Clock, providers: Mapping[str, WatchedProvider]) -> None:
        self._database = database
        self._clock = clock
        self._providers = providers

    async def reconcile(
        self, provider: str, slot_key: str, status: SlotStatus, source: str, observed_at: datetime | None = None
    ) -> Reconciled:
        now = self._clock.now()
        if observed_at is not None and observed_at > now + timedelta(seconds=AHEAD_S):
            raise Invalid("observed_at lies in the future.", field="observed_at")
        watched = self._providers.get(provider)
        if watched is None:
            raise Invalid(f"provider {provider} is not configured.", field="provider")
        report = StatusReport(provider, slot_key, status, source, observed_at or now)
        detail = watched.source.named(slot_key)
        try:
            return await self._reconcile(watched, report, detail, now)
        except DeadlockDetected:
            # Heartbeats of the same watches met us in another order; now they are through.
            return await self._reconcile(watched, report, detail, now)

    async def _reconcile(
        self, watched: WatchedProvider, report: StatusReport, detail: Detail, now: datetime
    ) -> Reconciled:
        async with self._database.transaction() as connection:
            await advisory_lock(connection, Keyspace.SLOT, report.provider)
            subject = await self._subject(connection, watched, report, detail, now)
            return await self._settle(connection, subject, now)

    async def _subject(
        self,
        connection: Connection,
        watched: WatchedProvider,
        report: StatusReport,
        detail: Detail,
        now: datetime,
    ) -> Subject:
        slot_id = slot_id_of(report.provider, report.slot_key)
        watch = await ingest_store.find_watch_of_slot(
            connection,
            provider=report.provider,
            slot_id=slot_id,
            bucket_id=_bucket_of(watched, detail),
            day=_day_of(watched, detail),
        )
        if watch is None:
            raise NotFound(f"No watch of {report.provider} is about {report.slot_key}; add one first.")
        rows = await state_store.remember_slots(
            connection,
            watch_key=watch.watch_key,
            slot_ids=[slot_id],
            fresh_after=now - timedelta(seconds=FRESH_S),
        )
        detail = await _described(connection, watched, detail, rows[0] if rows else None)
        return Subject(report, watched, watch, detail, rows[0] if rows else None)

    async def _settle(self, connection: Connection, subject: Subject, now: datetime) -> Reconciled:
        change = await self._decide(connection, subject, now)
        verdict = change.reason.value if isinstance(change, Change) else change
        recorded: int | None = None
        if isinstance(change, Change):
            recorded = await self._write(connection, subject, change, now)
        report = subject.report
        number = await ingest_store.add_status_event(
            connection,
            provider=report.provider,
            slot_key=report.slot_key,
            status=report.status,
            observed_at=report.observed_at,
            source=report.source,
            verdict=verdict,
            recorded_at=now,
        )
        return Reconciled(number, verdict, recorded)

    async def _decide(self, connection: Connection, subject: Subject, now: datetime) -> Change | str:
        status, memory = subject.report.status, subject.memory
        if status == "Unknown":
            return "recorded"
        if _is_stale(subject):
            return "stale"
        if status == "Open":
            policy = subject.provider.policy(subject.watch.policy)
            slots = await state_store.list_watch_slots(connection, watch_key=subject.watch.watch_key)
            occupied = occupied_groups(state_store.state_of(None, slots, None), policy)
            return opening(subject.detail, memory, Look(), occupied, policy, now)
        return closing(subject.report.slot_key, memory, status, -1, Reason.CLOSED)

    async def _write(self, connection: Connection, subject: Subject, change: Change, now: datetime) -> int | None:
        scene = events.Scene(
            source=subject.provider.source,
            watch_key=subject.watch.watch_key,
            bucket_id=subject.watch.bucket_id,
            known={subject.report.slot_key: subject.known} if subject.known else {},
            at=now,
            trace_id=new_trace_id(),
            detected_by="section_status_event",
        )
        recorded = await write_changes(connection, (change,), scene)
        if change.slot:
            until = max(subject.report.observed_at, now) + timedelta(seconds=CACHED_FOR_S)
            await openings.distrust_looks(connection, [scene.slot_id(change.slot_key)], until)
        await ingest_store.reread_watch(connection, watch_key=subject.watch.watch_key)
        return recorded[0].open_event_id if recorded else None


def _bucket_of(watched: WatchedProvider, detail: Detail) -> str | None:
    if isinstance(watched.config, SocProvider):
        return f"{detail.subject['term_id']}:{detail.subject['campus_code']}"
    return None


def _day_of(watched: WatchedProvider, detail: Detail) -> date | None:
    """The day of the slot where it is: a watch is about the place's own calendar."""
    if detail.starts_at is None or isinstance(watched.config, SocProvider):
        return None
    return detail.starts_at.astimezone(ZoneInfo(watched.config.timezone)).date()


def _is_stale(subject: Subject) -> bool:
    """A report that is older than what we know says nothing new."""
    known, at, watch = subject.known, subject.report.observed_at, subject.watch
    if known and not known.open and known.last_closed_at is not None and at < known.last_closed_at:
        return True
    could_see = watch.sees_all or watch.tracked
    return could_see and watch.last_good_at is not None and at < watch.last_good_at


async def _described(
    connection: Connection, watched: WatchedProvider, detail: Detail, known: state_store.SlotRow | None
) -> Detail:
    """The best we know: the catalog's words, or what an earlier look brought."""
    if isinstance(watched.config, SocProvider):
        subject = detail.subject
        items = await list_catalog_items(
            connection,
            provider=watched.name,
            term_id=subject["term_id"],
            campus_code=subject["campus_code"],
            indexes=[subject["index_number"]],
        )
        by_index = {item.index_number: item for item in items}
        return enriched(detail, by_index, only=watched.config.catalog_only)
    if known:
        return replace(detail, group_key=known.group_key, payload=known.payload, starts_at=known.starts_at)
    return detail
