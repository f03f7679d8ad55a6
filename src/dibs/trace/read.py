"""Reads what every stage knows about one opening."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from dibs.db import Database
from dibs.notify import Notify
from dibs.notify.model import Notification
from dibs.offers import Line
from dibs.openings import OpenEvent, get_event
from dibs.trace.steps import Step, steps_of
from dibs.watch import Watches
from dibs.watch.state_store import Snapshot


class Trace(Struct, frozen=True, kw_only=True):
    """An opening and its life."""

    opening: OpenEvent
    snapshot: Snapshot | None
    fanout: dict[str, Any] | None
    notifications: list[Notification]
    steps: list[Step]


class Tracer:
    """Puts traces together."""

    def __init__(self, database: Database, watches: Watches, notify: Notify, line: Line) -> None:
        self._database = database
        self._watches = watches
        self._notify = notify
        self._line = line

    async def trace(self, open_event_id: int) -> Trace:
        """The whole life of one opening."""
        event = await get_event(self._database, open_event_id)
        snapshot = await self.snapshot(event)
        told = await self._notify.notices.of_event(open_event_id)
        offers = await self._line.offers_of_event(open_event_id)
        return Trace(
            opening=event,
            snapshot=snapshot,
            fanout=told["fanout"],
            notifications=told["notifications"],
            steps=steps_of(event, snapshot, told["fanout"], told["notifications"], offers),
        )

    async def snapshot(self, event: OpenEvent) -> Snapshot | None:
        """The look that saw it; None when it was not a watch's, or is past its retention."""
        return await self._watches.snapshot(event.snapshot_id) if event.snapshot_id else None
