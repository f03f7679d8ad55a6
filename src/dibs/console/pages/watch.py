"""One watch: how it is, what it saw over time, its last looks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from dibs.console.components import (
    Column,
    Empty,
    Series,
    Table,
    badge,
    button,
    card,
    cell_badge,
    cell_time,
    confirm,
    el,
    facts,
    grid,
    iso,
    line_chart,
    moment,
    stat,
    wide_grid,
)
from dibs.console.components.badge import Tone
from dibs.console.components.button import go
from dibs.console.page import View, page
from dibs.console.pages.watches import act
from dibs.watch import Watch
from dibs.watch.state_store import Snapshot

HOURS = 24
LOOKS = 500
SHOWN = 50
OUTCOMES: dict[str, Tone] = {
    "unchanged": "quiet",
    "changed": "good",
    "bootstrapped": "info",
    "partial": "warn",
    "suspect": "warn",
    "failed": "bad",
}


@page("/watches/{key:path}", "Watch")
async def watch(view: View) -> None:
    key = view.path("key")
    found = await view.parts.watches.get(key)
    with view.head(found.key, "What this watch sees, and how its looks went.", live=True):
        if view.caller.may("admin"):
            _buttons(view, found)
    state = _State()
    with grid():
        numbers = [stat("Open now"), stat("Last look"), stat("Opened", hint=""), stat("Failures in a row")]
    with wide_grid():
        with card("Open over time", note=f"last {HOURS} hours"):
            chart = line_chart()
        with card("How it is set"):
            facts(_settings(found))
    with card("Last looks"):
        table = _table()

    async def refresh() -> None:
        now = view.parts.clock.now()
        current = await view.parts.watches.get(key)
        looks = await view.parts.watches.snapshots(key, since=now - timedelta(hours=HOURS), limit=LOOKS)
        state.show(current)
        opened = sum(look.opened for look in looks)
        numbers[0].show(current.open_count)
        numbers[1].show(looks[0].outcome if looks else "–", f"{looks[0].duration_ms} ms" if looks else "not yet")
        numbers[2].show(opened, f"in its last {len(looks):,} looks")
        failures = current.consecutive_failures
        numbers[3].show(failures, current.reason if failures else "", "bad" if failures else "good")
        _draw(chart.show, looks)
        table.show([_look(look) for look in looks[:SHOWN]])

    await view.live(refresh, "dibs_watch", "dibs_opening", every_s=3.0)


def _buttons(view: View, found: Watch) -> None:
    async def pause_or_resume() -> None:
        current = await view.parts.watches.get(found.key)
        await act(view, "resume" if current.status == "paused" else "pause", found.key)

    async def remove() -> None:
        await view.require("admin")
        text = "Its history stays; slots that only it sees are no longer known."
        if await confirm(f"Stop watching {found.key}?", text, yes="Stop watching", danger=True):
            await view.parts.watches.remove(found.key)
            go("/watches")

    button("Poll now", lambda: act(view, "poll", found.key), sign="refresh")
    button("Refresh quietly", lambda: act(view, "baseline", found.key), look="quiet")
    button("Pause or resume", pause_or_resume, look="quiet")
    button("Stop watching", remove, look="danger")


class _State:
    """The status in words; drawn again only when it changed."""

    def __init__(self) -> None:
        self._box = el("div", classes="dibs-row")
        self._shown: Watch | None = None

    def show(self, current: Watch) -> None:
        if current == self._shown:
            return
        self._shown = current
        self._box.clear()
        with self._box:
            badge(current.status, why=current.reason)
            if current.reason:
                el("span", current.reason)
            el("span", "last good look", classes="dibs-muted")
            moment(current.last_good_at)
            if current.next_poll_at:
                el("span", "next", classes="dibs-muted")
                moment(current.next_poll_at)


def _settings(found: Watch) -> list[tuple[str, str | None]]:
    named = {f"query: {name}": value for name, value in found.query.items()}
    cadence = {name.replace("_", " "): value for name, value in found.cadence.items()}
    policy = {name.replace("_", " "): value for name, value in found.policy.items()}
    pairs = {"provider": found.provider, **named, **cadence, **policy}
    return [(name, _words(value)) for name, value in pairs.items()]


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _draw(show: Any, looks: list[Snapshot]) -> None:
    points = list(reversed(looks))
    sentence = f"{points[-1].open_count} open at the last look." if points else "Nothing was looked at yet."
    show([iso(look.seen_at) for look in points], [Series("open", [look.open_count for look in points])], sentence)


def _table() -> Table:
    return Table(
        [
            Column("at", "When"),
            Column("outcome", "Outcome"),
            Column("open", "Open", "number"),
            Column("opened", "Opened", "number"),
            Column("closed", "Closed", "number"),
            Column("took", "Took", "number"),
            Column("why", "Why"),
        ],
        key="id",
        label="Looks",
        empty=Empty("Not looked at yet", "The first look comes when the watch is due.", "visibility"),
    )


def _look(look: Snapshot) -> dict[str, Any]:
    return {
        "id": look.snapshot_id,
        "at": cell_time(look.seen_at),
        "outcome": cell_badge(OUTCOMES.get(look.outcome, "quiet"), look.outcome),
        "open": look.open_count,
        "opened": look.opened,
        "closed": look.closed,
        "took": f"{look.duration_ms} ms",
        "why": look.reason,
    }
