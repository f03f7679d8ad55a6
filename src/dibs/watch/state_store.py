"""The statements about what a watch knows: its state, its slots, its snapshots."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from dibs.db import Connection, Json, execute, fetch_all, fetch_maybe, fetch_value, statements
from dibs.watch.model import Look, Memory, Pending, State, Suspicion

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class StateRow:
    look_complete: bool
    look_groups: list[str] | None
    counts: list[int]
    suspect_since: datetime | None
    suspect_samples: int | None
    suspect_count: int | None
    nameless: int
    nameless_since: datetime | None


@dataclass(frozen=True, slots=True)
class WatchSlotRow:
    slot_key: str
    group_key: str
    misses: int
    unknown_since: datetime | None
    quiet: bool
    elsewhere: bool


@dataclass(frozen=True, slots=True)
class SlotRow:
    slot_id: str
    slot_key: str
    group_key: str
    starts_at: datetime | None
    open: bool
    generation: int
    opened_at: datetime | None
    last_event_at: datetime | None
    last_closed_at: datetime | None
    quiet: bool
    distrust_until: datetime | None
    payload: dict[str, Any]
    seen_elsewhere: bool

    @property
    def memory(self) -> Memory:
        return Memory(
            open=self.open,
            generation=self.generation,
            opened_event_at=self.last_event_at,
            closed_event_at=self.last_closed_at,
            quiet=self.quiet,
            seen_elsewhere=self.seen_elsewhere,
            distrust_until=self.distrust_until,
            silent_since=self._silent_since,
        )

    @property
    def _silent_since(self) -> datetime | None:
        if not self.open or self.opened_at is None:
            return None
        announced = self.last_event_at is not None and self.last_event_at >= self.opened_at
        return None if announced else self.opened_at


@dataclass(frozen=True, slots=True)
class Snapshot:
    snapshot_id: int
    watch_key: str
    provider: str
    seen_at: datetime
    source_hash: str | None
    outcome: str
    reason: str
    open_count: int
    opened: int
    closed: int
    skipped: int
    requests: int
    duration_ms: int


async def load_state(connection: Connection, *, watch_key: str) -> StateRow | None:
    return await fetch_maybe(connection, sql("load_state"), {"watch_key": watch_key}, StateRow)


async def list_watch_slots(connection: Connection, *, watch_key: str) -> list[WatchSlotRow]:
    return await fetch_all(connection, sql("list_watch_slots"), {"watch_key": watch_key}, WatchSlotRow)


async def put_state(connection: Connection, *, watch_key: str, state: State) -> None:
    suspicion = state.suspicion
    values = {
        "watch_key": watch_key,
        "look_complete": state.look.complete,
        "look_groups": None if state.look.groups is None else sorted(state.look.groups),
        "counts": list(state.counts),
        "suspect_since": suspicion and suspicion.since,
        "suspect_samples": suspicion and suspicion.samples,
        "suspect_count": suspicion and suspicion.count,
        "nameless": state.nameless,
        "nameless_since": state.nameless_since,
    }
    await execute(connection, sql("put_state"), values)


async def put_watch_slots(connection: Connection, *, watch_key: str, slots: Sequence[dict[str, Any]]) -> None:
    await execute(connection, sql("put_watch_slots"), {"watch_key": watch_key, "slots": Json(list(slots))})


async def forget_watch_slots(connection: Connection, *, watch_key: str, slot_keys: Sequence[str]) -> None:
    values = {"watch_key": watch_key, "slot_keys": list(slot_keys)}
    await execute(connection, sql("forget_watch_slots"), values)


async def forget_elsewhere(connection: Connection, *, watch_key: str, slot_ids: Sequence[str]) -> None:
    values = {"watch_key": watch_key, "slot_ids": list(slot_ids)}
    await execute(connection, sql("forget_elsewhere"), values)


async def remember_slots(
    connection: Connection, *, watch_key: str, slot_ids: Sequence[str], fresh_after: datetime
) -> list[SlotRow]:
    values = {"watch_key": watch_key, "slot_ids": list(slot_ids), "fresh_after": fresh_after}
    return await fetch_all(connection, sql("remember_slots"), values, SlotRow)


async def add_snapshot(connection: Connection, values: dict[str, Any]) -> int:
    return await fetch_value(connection, sql("add_snapshot"), values)


async def get_snapshot(connection: Connection, *, snapshot_id: int) -> Snapshot | None:
    return await fetch_maybe(connection, sql("get_snapshot"), {"snapshot_id": snapshot_id}, Snapshot)


async def list_snapshots(
    connection: Connection,
    *,
    watch_key: str,
    since: datetime,
    limit: int,
    before: tuple[datetime, int] | None = None,
) -> list[Snapshot]:
    values = {
        "watch_key": watch_key,
        "since": since,
        "limit": limit,
        "before_at": before[0] if before else None,
        "before_id": before[1] if before else None,
    }
    return await fetch_all(connection, sql("list_snapshots"), values, Snapshot)


def state_of(row: StateRow | None, slots: Sequence[WatchSlotRow], looked_at: datetime | None) -> State:
    """The state that `detect` works on; no row says that the watch has never had a good look."""
    tracked = {slot.slot_key: slot.group_key for slot in slots}
    pending = {
        slot.slot_key: Pending(slot.misses, slot.unknown_since, slot.quiet, slot.elsewhere)
        for slot in slots
        if slot.misses or slot.quiet or slot.unknown_since
    }
    if row is None:
        return State(tracked=tracked, pending=pending)
    suspicion = None
    if row.suspect_since and row.suspect_samples is not None and row.suspect_count is not None:
        suspicion = Suspicion(row.suspect_since, row.suspect_samples, row.suspect_count)
    groups = None if row.look_groups is None else frozenset(row.look_groups)
    return State(
        bootstrapped=True,
        tracked=tracked,
        pending=pending,
        look=Look(row.look_complete, groups, looked_at),
        counts=tuple(row.counts),
        suspicion=suspicion,
        nameless=row.nameless,
        nameless_since=row.nameless_since,
    )


async def make_snapshot_day(connection: Connection, *, day: date) -> bool:
    return await fetch_value(connection, sql("make_snapshot_day"), {"day": day})


async def drop_snapshot_days(connection: Connection, *, before: date) -> int:
    return await fetch_value(connection, sql("drop_snapshot_days"), {"before": before})


async def prune_status_events(connection: Connection, *, before: datetime) -> int:
    return await execute(connection, sql("prune_status_events"), {"before": before})
