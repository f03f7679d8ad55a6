"""Work that is due: how much waits, and since when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dibs.capacity.sweep import HOLDS
from dibs.console.components import Column, Empty, Table, Tone, card, cell_badge, cell_time, stat
from dibs.console.live import Refresh
from dibs.console.page import View
from dibs.console.shared import shared
from dibs.demand.queue import COLLECTION
from dibs.notify.delivery_store import FANOUT, NOTICES
from dibs.signals.schedule import QUEUE as TICKS
from dibs.wanted.tell import ASKS
from dibs.work import Backlog, Queue, measure_backlog

# Loops look every few seconds by themselves; what waits longer waits for a worker.
LATE_S = 30.0
STUCK_S = 300.0


@dataclass(frozen=True, slots=True)
class Line:
    """A queue and what waits in it."""

    name: str
    backlog: Backlog
    age_s: float


def queues_of(view: View) -> dict[str, Queue]:
    """Every queue that people know by name."""
    polls = {f"Polls of {name}": provider.queue for name, provider in view.parts.providers.items()}
    return {
        **polls,
        "Openings to fan out": FANOUT,
        **{f"Notices by {channel}": queue for channel, queue in NOTICES.items()},
        "Cadence ticks": TICKS,
        "Holds to sweep": HOLDS,
        "Demand to collect": COLLECTION,
        "People to tell of wanted places": ASKS,
    }


async def backlogs(view: View) -> list[Line]:
    """All queues as of now, read once for everybody."""

    async def load() -> list[Line]:
        lines: list[Line] = []
        now = view.parts.clock.now()
        async with view.parts.db.connection() as connection:
            for name, queue in queues_of(view).items():
                backlog = await measure_backlog(connection, queue, now=view.parts.clock.for_database())
                lines.append(Line(name, backlog, _age(backlog.oldest_due_at, now)))
        return lines

    return await shared("backlogs", 3.0, load)


def _age(oldest: datetime | None, now: datetime) -> float:
    return max(0.0, (now - oldest).total_seconds()) if oldest else 0.0


def tone_of(age_s: float) -> Tone:
    """How bad a wait is."""
    return "good" if age_s < LATE_S else "warn" if age_s < STUCK_S else "bad"


def span(seconds: float) -> str:
    """A length of time in words."""
    if seconds < 1:
        return "under 1 s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def oldest_work(view: View) -> Refresh:
    shown = stat("Oldest waiting work", href="/health")

    async def refresh() -> None:
        lines = await backlogs(view)
        oldest = max(lines, key=lambda line: line.age_s, default=None)
        waiting = sum(line.backlog.waiting for line in lines)
        if oldest is None or not waiting:
            shown.show("none", "every queue is empty", "good")
        else:
            shown.show(span(oldest.age_s), f"{waiting:,} waiting; {oldest.name}", tone_of(oldest.age_s))

    return refresh


def queue_list(view: View) -> Refresh:
    with card("Queues", note="work that is due now"):
        table = Table(
            [
                Column("name", "Queue"),
                Column("state", "State"),
                Column("waiting", "Waiting", "number"),
                Column("held", "Being worked on", "number"),
                Column("oldest", "Oldest is due since"),
            ],
            key="name",
            label="Queues",
            empty=Empty("No queues", "Configure a provider, and its polls appear here.", "low_priority"),
            search=False,
            query="queue",
        )

    async def refresh() -> None:
        table.show([_row(line) for line in await backlogs(view)])

    return refresh


def _row(line: Line) -> dict[str, Any]:
    words = {"good": "in time", "warn": "late", "bad": "stuck"}
    tone = tone_of(line.age_s)
    return {
        "name": line.name,
        "state": cell_badge(tone, words[tone]),
        "waiting": line.backlog.waiting,
        "held": line.backlog.held,
        "oldest": cell_time(line.backlog.oldest_due_at),
    }
