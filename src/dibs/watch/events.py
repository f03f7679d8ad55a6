"""From verdicts to the rows of the hub. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dibs.openings import NewEvent, SlotClosing, SlotState, slot_id_of, topics_of
from dibs.openings.model import DetectedBy
from dibs.sources import Source
from dibs.watch.dedupe import KeyParts, dedupe_key
from dibs.watch.model import Change, EventDraft, Reason
from dibs.watch.state_store import SlotRow

DEEPEST = 32
"""What is nested deeper was not made for people."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Where and when changes happened, and what was known of the slots."""

    source: Source
    watch_key: str
    bucket_id: str
    known: Mapping[str, SlotRow]
    at: datetime
    trace_id: str
    detected_by: DetectedBy
    snapshot_id: int | None = None

    def slot_id(self, slot_key: str) -> str:
        return slot_id_of(self.source.name, slot_key)


def storable(value: Any, depth: int = DEEPEST) -> Any:
    """The same without NUL characters, which PostgreSQL keeps neither in text nor in JSON, and not too deep."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, dict | list | tuple) and depth == 0:
        return None
    if isinstance(value, dict):
        return {storable(name): storable(one, depth - 1) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [storable(one, depth - 1) for one in value]
    return value


def new_events(changes: tuple[Change, ...], scene: Scene) -> Iterator[NewEvent]:
    for change in changes:
        if change.event:
            yield _event(change, change.event, scene)


def _event(change: Change, draft: EventDraft, scene: Scene) -> NewEvent:
    known = scene.known.get(change.slot_key)
    detail = change.detail
    group = detail.group_key if detail else known.group_key if known else change.slot_key
    taken_at = None
    if known:
        taken_at = known.last_event_at if draft.status_after == "Open" else known.last_closed_at
    slot_id = scene.slot_id(change.slot_key)
    parts = KeyParts(scene.source.kind, scene.bucket_id, change.slot_key, slot_id, draft.status_after)
    return NewEvent(
        provider=scene.source.name,
        watch_key=scene.watch_key,
        slot_id=slot_id,
        slot_key=change.slot_key,
        group_key=group,
        subject=scene.source.subject(change.slot_key),
        item_id=detail.item_id if detail else None,
        status_before=draft.status_before,
        status_after=draft.status_after,
        seat_delta=draft.seat_delta,
        event_at=scene.at,
        detected_by=scene.detected_by,
        dedupe_key=dedupe_key(parts, scene.at, draft.generation, taken_at=taken_at),
        trace_id=scene.trace_id,
        payload=storable(detail.payload) if detail else known.payload if known else {},
        topics=topics_of(scene.source.name, change.slot_key, group, scene.watch_key),
        generation=draft.generation,
        reason=change.reason,
        snapshot_id=scene.snapshot_id,
    )


def slots_to_put(changes: tuple[Change, ...], scene: Scene) -> Iterator[SlotState]:
    """Slots that opened, described by what was seen."""
    for change in changes:
        if change.slot is None or not change.slot.open or change.detail is None:
            continue
        known = scene.known.get(change.slot_key)
        same = known is not None and known.generation == change.slot.generation
        yield SlotState(
            slot_id=scene.slot_id(change.slot_key),
            provider=scene.source.name,
            slot_key=change.slot_key,
            watch_key=scene.watch_key,
            group_key=change.detail.group_key,
            starts_at=change.detail.starts_at,
            open=True,
            opened_at=known.opened_at if same and known else scene.at,
            closed_at=None,
            last_seen_at=scene.at,
            misses=0,
            generation=change.slot.generation,
            payload=storable(change.detail.payload),
        )


def slots_to_reopen(changes: tuple[Change, ...], scene: Scene) -> list[str]:
    """Slots that were only out of sight."""
    return [
        scene.slot_id(change.slot_key)
        for change in changes
        if change.slot and change.slot.open and change.detail is None
    ]


def slots_to_close(changes: tuple[Change, ...], scene: Scene) -> Iterator[SlotClosing]:
    for change in changes:
        if change.slot and not change.slot.open:
            yield SlotClosing(slot_id=scene.slot_id(change.slot_key), at=scene.at, quiet=change.slot.quiet)


def misses(changes: tuple[Change, ...], scene: Scene) -> dict[str, int]:
    """How often slots that stay as they are were missed; 0 for those that were seen again."""
    return {
        scene.slot_id(change.slot_key): change.pending.misses if change.pending else 0
        for change in changes
        if change.slot is None and change.reason in (Reason.MISSING, Reason.SEEN_AGAIN, Reason.ALREADY_OPEN)
    }
