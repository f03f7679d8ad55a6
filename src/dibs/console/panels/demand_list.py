"""The demand list: term, where, how often, status, cooldown, next run, why not; progress while it runs."""

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
from dibs.demand.model import CollectionRequest, Status
from dibs.demand.requests import why_not

SHOWN = 200
STATUSES = {"": "All", **{str(status): str(status) for status in Status}}
RUN, FOLLOW = "run", "follow"
COLUMNS = [
    Column("term", "What"),
    Column("times", "Times", "number"),
    Column("status", "Status"),
    Column("cooldown", "Rests until"),
    Column("due", "Next run"),
    Column("why", "Why not, or how far"),
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
            actions=[Action(RUN, "Collect now"), Action(FOLLOW, "Watch or subscribe")],
            on_action=lambda action, request_id: _act(view, action, int(request_id)),
        )

    async def refresh() -> None:
        chosen = view.filter("status")
        found = await view.parts.collection_requests.list(
            limit=SHOWN, status=chosen if chosen in STATUSES and chosen else None
        )
        now = view.parts.clock.now()
        table.show([_row(request, now) for request in found])

    return refresh


async def _act(view: View, action: str, request_id: int) -> None:
    if action == FOLLOW:
        await follow_place(view, (await view.parts.collection_requests.get(request_id)).term)
        return
    await view.require("admin")
    request = await view.parts.collection_requests.run(request_id)
    tell(f"“{request.term}” is {request.status} in {request.run_location_key}")
    view.refresh_soon()


def _row(request: CollectionRequest, now: datetime) -> dict[str, Any]:
    kind = request.entity_type.replace("_", " ")
    return {
        "request_id": request.request_id,
        "term": cell_two(request.term, f"{kind} in {request.run_location_key or 'no place'}"),
        "times": request.occurrence_count,
        "status": cell_status(str(request.status), why=request.error or ""),
        "cooldown": cell_time(request.cooldown_until),
        "due": cell_time(request.due_at),
        "why": _progress(request) if request.stage else _why(request, now),
        "seen": cell_time(request.last_seen_at),
        "_actions": [FOLLOW] if request.status in {Status.QUEUED, Status.PROCESSING} else [RUN, FOLLOW],
    }


def _why(request: CollectionRequest, now: datetime) -> str:
    words = (why_not(request, now) or "").replace("_", " ")
    return f"{words}: {request.error}" if request.error and words else request.error or words


def _progress(request: CollectionRequest) -> dict[str, Any] | str:
    if not request.batches_total:
        return f"{request.stage}: {request.posts_found} posts"
    text = f"{request.stage}: {request.posts_found} posts, {request.mentions_found} mentions"
    return cell_meter(request.batches_done, request.batches_total, text)
