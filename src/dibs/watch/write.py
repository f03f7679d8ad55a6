"""Writes verdicts: only the rows that changed, in the order in which they depend on each other."""

from typing import Any

from dibs import openings
from dibs.db import Connection
from dibs.watch import events, state_store
from dibs.watch.model import Change


async def write_changes(
    connection: Connection, changes: tuple[Change, ...], scene: events.Scene
) -> list[openings.RecordedEvent]:
    """The hub's slots, the watch's own view of them, and the events, in that order."""
    if not changes:
        return []
    await openings.put_slots(connection, list(events.slots_to_put(changes, scene)))
    await openings.reopen_slots(connection, events.slots_to_reopen(changes, scene), scene.at)
    closings = list(events.slots_to_close(changes, scene))
    await openings.close_slots(connection, closings)
    await openings.count_misses(connection, events.misses(changes, scene), scene.at)
    await _write_view(connection, changes, scene)
    gone = [one.slot_id for one in closings if not one.quiet]
    if gone:
        await state_store.forget_elsewhere(connection, watch_key=scene.watch_key, slot_ids=gone)
    return await openings.record(connection, list(events.new_events(changes, scene)))


async def _write_view(connection: Connection, changes: tuple[Change, ...], scene: events.Scene) -> None:
    kept = [_view(change, scene) for change in changes if change.group_key is not None]
    if kept:
        await state_store.put_watch_slots(connection, watch_key=scene.watch_key, slots=kept)
    dropped = [change.slot_key for change in changes if change.group_key is None]
    if dropped:
        await state_store.forget_watch_slots(connection, watch_key=scene.watch_key, slot_keys=dropped)


def _view(change: Change, scene: events.Scene) -> dict[str, Any]:
    pending = change.pending
    return {
        "slot_key": change.slot_key,
        "slot_id": scene.slot_id(change.slot_key),
        "group_key": change.group_key,
        "misses": pending.misses if pending else 0,
        "unknown_since": pending.unknown_since if pending else None,
        "quiet": pending.quiet if pending else False,
        "elsewhere": pending.elsewhere if pending else False,
    }
