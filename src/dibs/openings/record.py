"""Writes what was seen: the slots as they are now, and the events that led there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from dibs.db import Connection
from dibs.openings import store
from dibs.openings.model import NewEvent, RecordedEvent, SlotClosing, SlotState
from dibs.telemetry import emit, events, metrics


async def put_slots(connection: Connection, slots: Sequence[SlotState]) -> None:
    """Saves slots; call it before `record`, which marks a slot with its event."""
    if slots:
        await store.put_slots(connection, slots=slots)


async def close_slots(connection: Connection, slots: Sequence[SlotClosing]) -> None:
    """Closes slots; everything else about them stays."""
    if slots:
        await store.close_slots(connection, slots=slots)


async def reopen_slots(connection: Connection, slot_ids: Sequence[str], at: datetime) -> None:
    """Brings back slots that were only out of sight."""
    if slot_ids:
        await store.reopen_slots(connection, slot_ids=slot_ids, at=at)


async def relabel_slots(connection: Connection, labels: Sequence[dict[str, Any]]) -> None:
    """What slots are called: `slot_id`, `group_key` and `payload` of each."""
    if labels:
        await store.relabel_slots(connection, labels=labels)


async def hand_over_slots(connection: Connection, watch_key: str, heirs: Mapping[str, str]) -> None:
    """Slots of a watch that goes stand under those that still see them."""
    if heirs:
        await store.hand_over_slots(
            connection, watch_key=watch_key, slot_ids=list(heirs.keys()), heirs=list(heirs.values())
        )


async def distrust_looks(connection: Connection, slot_ids: Sequence[str], until: datetime) -> None:
    """Until then a look does not change these slots: something better informed than looks has spoken."""
    await store.distrust_looks(connection, slot_ids=slot_ids, until=until)


async def count_misses(connection: Connection, misses: Mapping[str, int], at: datetime) -> None:
    """How often each slot was missed in a row; 0 says that it was seen at `at`."""
    if misses:
        await store.count_misses(connection, slot_ids=list(misses.keys()), misses=list(misses.values()), at=at)


async def record(connection: Connection, new: Sequence[NewEvent]) -> list[RecordedEvent]:
    """Records events; one whose dedupe key is taken is passed over."""
    if not new:
        return []
    recorded = await store.record_events(connection, events=new)
    missing = _missing(new, recorded)
    if missing:
        # Their keys are taken: by the same event, which is then no news, or by another slot.
        recorded += await store.record_events(connection, events=missing, again=True)
    providers = {event.slot_id: event.provider for event in new}
    for event in recorded:
        if event.status_after == "Open":
            metrics.OPENINGS.labels(providers[event.slot_id]).inc()
    emit(events.OPENING_RECORDED, recorded=len(recorded), seen=len(new))
    return recorded


def _missing(new: Sequence[NewEvent], recorded: Sequence[RecordedEvent]) -> list[NewEvent]:
    known = {(one.slot_id, one.status_after) for one in recorded}
    return [one for one in new if (one.slot_id, one.status_after) not in known]
