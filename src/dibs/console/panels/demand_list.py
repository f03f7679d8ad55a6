"""The demand list: term, where, how often, status, next run, why not; progress while it runs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from dibs.console.components import (
    Action,
    Column,
    Empty,
    Table,
    card,
    cell_meter,
    cell_status,
    cell_time,
    cell_two,
    choice,
    el,
    tell,
)
from dibs.console.live import Refresh
from dibs.console.page import View
from dibs.console.panels.follow_place import follow_place
from dibs.console.panels.watch_demand import stop_watching, watch_demand
from dibs.demand.model import CollectionRequest, Status
from dibs.demand.requests import why_not
from dibs.places.model import EntityType
from dibs.wanted import WantedPlace

SHOWN = 200
STATUSES = {"": "All", **{str(status): str(status) for status in Status}}
RUN, WATCH, STOP, FOLLOW = "run", "watch", "stop", "follow"
COLUMNS = [
    Column("term", "What"),
    Column("times", "Times", "number"),
    Column("status", "Status"),
    Column("watched", "Watched"),
    Column("due", "Next run"),
    Column("why", "Why not"),
    Column("seen", "Last asked"),
]
NOBODY = Empty("Nobody missed anything yet", "A search that finds too little is recorded here.", "travel_explore")


def demand_table(view: View) -> Refresh:
    with card("Everything people looked for"):
        with el("div", classes="dibs-filters"):
            choice("Status", STATUSES, view.filter("status"), on_change=lambda value: view.set_filter("status", value))
        table = Table(
            COLUMNS,
            key="request_id",
            label="Demand",
            empty=NOBODY,
            query="d",
            actions=[
                Action(RUN, "Collect"),
                Action(WATCH, "Watch"),
                Action(STOP, "Stop"),
                Action(FOLLOW, "Follow"),
            ],
            on_action=lambda action, request_id: _act(view, action, int(request_id)),
        )

    async def refresh() -> None:
        chosen = view.filter("status")
        found = await view.parts.collection_requests.list(
            limit=SHOWN, status=chosen if chosen in STATUSES and chosen else None
        )
        wanted = await view.parts.wanted.watch.of([request.request_id for request in found])
        now = view.parts.clock.now()
        table.show([_row(request, wanted.get(request.request_id), now) for request in found])

    return refresh


async def _act(view: View, action: str, request_id: int) -> None:
    if action == FOLLOW:
        await follow_place(view, (await view.parts.collection_requests.get(request_id)).term)
        return
    if action in {WATCH, STOP}:
        await (watch_demand if action == WATCH else stop_watching)(view, request_id)
        view.refresh_soon()
        return
    await view.require("admin")
    request = await view.parts.collection_requests.run(request_id)
    tell(f"“{request.term}” is {request.status} in {request.run_location_key}")
    view.refresh_soon()


def _row(request: CollectionRequest, wanted: WantedPlace | None, now: datetime) -> dict[str, Any]:
    kind = request.entity_type.replace("_", " ")
    return {
        "request_id": request.request_id,
        "term": cell_two(request.term, f"{kind} in {request.run_location_key or 'no place'}"),
        "times": request.occurrence_count,
        "status": cell_status(str(request.status), why=request.error or ""),
        "watched": _watched(wanted),
        # Without a run to come, when one could come again.
        "due": cell_time(request.due_at or request.cooldown_until),
        "why": _progress(request) if request.stage else _why(request, now),
        "seen": cell_time(request.last_seen_at),
        "_actions": _actions(request, wanted),
    }


def _actions(request: CollectionRequest, wanted: WantedPlace | None) -> list[str]:
    run = [] if request.status in {Status.QUEUED, Status.PROCESSING} else [RUN]
    if request.entity_type != EntityType.RESTAURANT:
        return [*run, FOLLOW]
    return [*run, STOP] if wanted and wanted.status == "watched" else [*run, WATCH, FOLLOW]


def _watched(wanted: WantedPlace | None) -> dict[str, Any] | None:
    if wanted is None:
        return None
    asked = f"{wanted.askers} asked, {wanted.told} told" if wanted.askers else "nobody asked"
    if wanted.status == "watched":
        by = "the rule" if wanted.watched_by == "rule" else "hand"
        return cell_two(wanted.where, f"by {by}, {asked}")
    state = "stopped" if wanted.status == "stopped" else (wanted.verdict or "open").replace("_", " ")
    return cell_two(state, asked)


def _why(request: CollectionRequest, now: datetime) -> str:
    words = (why_not(request, now) or "").replace("_", " ")
    return f"{words}: {request.error}" if request.error and words else request.error or words


def _progress(request: CollectionRequest) -> dict[str, Any] | str:
    if not request.batches_total:
        return f"{request.stage}: {request.posts_found} posts"
    text = f"{request.stage}: {request.posts_found} posts, {request.mentions_found} mentions"
    return cell_meter(request.batches_done, request.batches_total, text)
