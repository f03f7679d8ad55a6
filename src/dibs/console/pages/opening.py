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
    cell_two,
    el,
    grid,
    link_button,
    moment,
    row,
    safe_link,
    stat,
)
from dibs.console.components.badge import Tone
from dibs.console.page import View, page
from dibs.console.pages.openings import TRACE, title_of
from dibs.openings import OpenEvent
from dibs.trace import Step, Trace

STAGES: dict[str, tuple[Tone, str]] = {
    "watch": ("info", "visibility"),
    "openings": ("good", "bolt"),
    "notify": ("quiet", "send"),
    "offers": ("warn", "groups"),
}
COLUMNS = (
    Column("at", "When"),
    Column("after", "After", "number"),
    Column("stage", "Stage"),
    Column("what", "What"),
    Column("why", "Why"),
)
NOTHING = Empty("Nothing is known about it", "What was written about it is past its retention.", "history")
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


@page(TRACE, "Opening")
async def opening(view: View) -> None:
    number = view.id_in_path("open_event_id")
    first = await view.parts.tracer.trace(number)
    _head(view, first.opening)
    state = _State(first)
    with card("What happened", note="After counts from the moment it was detected"):
        table = Table(COLUMNS, key="id", label="Steps", empty=NOTHING, search=False)

    async def refresh() -> None:
        trace = await view.parts.tracer.trace(number)
        state.show(trace)
        table.show([_row(index, step) for index, step in enumerate(trace.steps)])

    await view.live(refresh, "dibs_opening", "dibs_notice", every_s=3.0)


def _head(view: View, event: OpenEvent) -> None:
    with view.head(title_of(event), f"Opening {event.open_event_id}, {event.provider}, {event.watch_key}", live=True):
        url = safe_link(str(event.payload.get("url") or ""))
        if url and not url.startswith("/"):
            link_button("Look", url, look="quiet", sign="open_in_new")
        link_button("All openings", "/openings", look="quiet", sign="arrow_back")


class _State:
    """What became of it, in a line and three numbers."""

    def __init__(self, trace: Trace) -> None:
        event = trace.opening
        with row():
            self._open, self._gone = badge("open", why=event.reason), badge("gone")
            el("span", f"It counted because: {_plain(event.reason)}.")
            el("span", "Detected", classes="dibs-muted")
            moment(event.event_at, "moment")
            if event.private:
                badge("offered", why="Kept for one person in line; not in the public feed.")
        with grid():
            self._told, self._first, self._lasted = stat("Told"), stat("First notice after"), stat("Open for")

    def show(self, trace: Trace) -> None:
        event = trace.opening
        self._open.set_visibility(event.still_open)
        self._gone.set_visibility(not event.still_open)
        sent = [notice for notice in trace.notifications if notice.fanout_status == "sent"]
        self._told.show(len(sent), f"of {len(trace.notifications)} who asked for it")
        after = [(notice.finished_at - event.event_at).total_seconds() for notice in sent if notice.finished_at]
        self._first.show(_span(min(after)) if after else "–", "from its detection")
        lasted = (event.closed_at - event.event_at).total_seconds() if event.closed_at else None
        self._lasted.show("–" if lasted is None else _span(lasted), "still open" if event.still_open else "then gone")


def _row(index: int, step: Step) -> dict[str, Any]:
    tone, sign = STAGES.get(step.stage, ("quiet", "circle"))
    facts = " · ".join(f"{_plain(name)} {value}" for name, value in step.facts.items() if value is not None)
    return {
        "id": index,
        "at": cell_time(step.at, "clock"),
        "after": {"text": f"{'−' if step.after_s < 0 else '+'}{_span(abs(step.after_s))}", "sort": step.after_s},
        "stage": cell_badge(tone, step.stage, sign=sign),
        "what": cell_two(step.what, facts) if facts else step.what,
        "why": _plain(step.reason or ""),
    }


def _plain(word: str) -> str:
    return word.replace("_", " ")


def _span(seconds: float) -> str:
    """How long, in the unit that people would use."""
    if seconds < MINUTE:
        return f"{seconds:.2f} s"
    for unit, size, below in (("min", MINUTE, HOUR), ("h", HOUR, DAY)):
        if seconds < below:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds / DAY:.1f} d"
