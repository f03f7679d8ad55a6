"""What people looked for and is not there yet."""

from __future__ import annotations

from typing import Any

from dibs.console.components import Column, Empty, Table, card, cell_status, cell_time, cell_two, stat
from dibs.console.live import Refresh
from dibs.console.page import View
from dibs.console.shared import shared
from dibs.demand.model import CollectionRequest

WAITING = ("processing", "queued", "pending")
READ = 200
SHOWN = 8


async def _waiting(view: View) -> list[CollectionRequest]:
    """What is collected now, then what is queued, then what was only recorded; the most wanted first in each."""

    async def load() -> list[CollectionRequest]:
        found: list[CollectionRequest] = []
        for status in WAITING:
            some = await view.parts.collection_requests.list(limit=READ, status=status)
            found += sorted(some, key=lambda request: -request.occurrence_count)
        return found

    return await shared("demand", 3.0, load)


def waits(view: View) -> Refresh:
    shown = stat("Demand that waits", href="/demand")

    async def refresh() -> None:
        found = await _waiting(view)
        running = sum(request.status == "processing" for request in found)
        queued = sum(request.status == "queued" for request in found)
        many = "+" if len(found) >= READ else ""
        shown.show(f"{len(found):,}{many}", f"{running} being collected, {queued} queued")

    return refresh


def demand_list(view: View) -> Refresh:
    with card("Looked for, not found"):
        table = Table(
            [
                Column("term", "What"),
                Column("times", "Times", "number"),
                Column("status", "Status"),
                Column("seen", "Last asked"),
            ],
            key="request_id",
            label="Unmet demand",
            empty=Empty("Nobody missed anything", "A search that finds too little is recorded here.", "travel_explore"),
            search=False,
            query="d",
        )

    async def refresh() -> None:
        table.show([_row(request) for request in (await _waiting(view))[:SHOWN]])

    return refresh


def _row(request: CollectionRequest) -> dict[str, Any]:
    why = request.error or (str(request.refused) if request.refused else "")
    return {
        "request_id": request.request_id,
        "term": cell_two(request.term, request.location_key or request.run_location_key or "anywhere"),
        "times": request.occurrence_count,
        "status": cell_status(str(request.status), why=why),
        "seen": cell_time(request.last_seen_at),
    }
