"""One opening: its whole life, from the look that saw it to who got it."""

from __future__ import annotations

from typing import Any

from dibs.console.components import (
    Column,
    Empty,
    Table,
    badge,
    card,
    cell_badge,
    cell_time,
    el,
    grid,
    link_button,
    moment,
    safe_link,
    stat,
)
from dibs.console.components.badge import Tone
from dibs.console.page import View, page
from dibs.console.pages.openings import title_of
from dibs.trace import Step, Trace

STAGES: dict[str, tuple[Tone, str]] = {
    "watch": ("info", "visibility"),
    "signals": ("info", "calendar_month"),
    "openings": ("good", "bolt"),
    "notify": ("quiet", "send"),
    "offers": ("warn", "groups"),
    "capacity": ("warn", "table_restaurant"),
}


@page("/openings/{open_event_id}", "Opening")
async def opening(view: View) -> None:
    number = view.id_in_path("open_event_id")
    first = await view.parts.tracer.trace(number)
    _head(view, first)
    with grid():
        told, quickest, lasted = stat("Told"), stat("First notice after"), stat("Open for")
    with card("What happened", note="times are yours; hover for the zone"):
        table = _table()

    async def refresh() -> None:
        trace = await view.parts.tracer.trace(number)
        sent = [notice for notice in trace.notifications if notice.fanout_status == "sent"]
        told.show(len(sent), f"of {len(trace.notifications)} who asked for it")
        after = [(notice.finished_at - trace.opening.event_at).total_seconds() for notice in sent if notice.finished_at]
        quickest.show(f"{min(after):.1f} s" if after else "–", "from the look that saw it")
        lasted.show(*_lasted(trace, view))
        table.show([_row(index, step) for index, step in enumerate(trace.steps)])

    await view.live(refresh, "dibs_opening", every_s=3.0)


def _head(view: View, trace: Trace) -> None:
    event = trace.opening
    text = f"{event.provider} · {event.watch_key} · {event.slot_key}"
    with view.head(title_of(event), text, live=True):
        url = safe_link(str(event.payload.get("url") or ""))
        if url and not url.startswith("/"):
            link_button("Book" if event.still_open else "Look", url)
    with el("div", classes="dibs-row"):
        badge("open" if event.still_open else "gone", why=event.reason)
        el("span", f"It counted because: {event.reason.replace('_', ' ')}.")
        el("span", "seen", classes="dibs-muted")
        moment(event.event_at)


def _lasted(trace: Trace, view: View) -> tuple[str, str]:
    event = trace.opening
    seconds = ((event.closed_at or view.parts.clock.now()) - event.event_at).total_seconds()
    words = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
    return words, "and still open" if event.still_open else "then it was gone"


def _table() -> Table:
    return Table(
        [
            Column("at", "When"),
            Column("after", "After", "number"),
            Column("stage", "Stage"),
            Column("what", "What"),
            Column("why", "Why"),
        ],
        key="id",
        label="Steps",
        empty=Empty("Nothing is known about it", "What the stages wrote about it is past its retention.", "history"),
    )


def _row(index: int, step: Step) -> dict[str, Any]:
    tone, sign = STAGES.get(step.stage, ("quiet", "circle"))
    return {
        "id": index,
        "at": cell_time(step.at, "clock"),
        "after": f"{step.after_s:+.1f} s",
        "stage": cell_badge(tone, step.stage, sign=sign),
        "what": step.what,
        "why": (step.reason or "").replace("_", " "),
    }
