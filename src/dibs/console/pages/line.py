"""The line: who waits for a table, in which order, and what was offered to whom."""

from __future__ import annotations

from datetime import date
from typing import Any

from dibs.console.components import (
    Action,
    Column,
    Empty,
    Table,
    card,
    cell_status,
    cell_time,
    confirm,
    date_field,
    el,
    grid,
    stat,
    switch,
    tell,
    text_field,
)
from dibs.console.page import View, page
from dibs.offers import Place

MOST = 500
NOTHING = Empty(
    "Nobody is in line",
    "Who finds nothing free can take a place; the first who fits is offered the next table.",
    "groups",
    "POST /api/line",
)


@page("/line", "Line")
async def line(view: View) -> None:
    view.head("Line", "Who waits for a table, in which order, and what was offered.", live=True)
    with el("div", classes="dibs-filters", role="search", aria_label="Filter the line"):
        name = view.filter("restaurant")
        text_field("Restaurant", name, on_change=lambda value: view.set_filter("restaurant", value))
        date_field("Day", view.filter("day"), on_change=lambda value: view.set_filter("day", value))
        switch(
            "Those who left, too",
            view.filter("all") == "1",
            on_change=lambda value: view.set_filter("all", "1" if value else ""),
        )
    with grid():
        waiting, offered, first = stat("Waiting"), stat("Offered now"), stat("Come first")
    with card():
        table = _table(view)

    async def refresh() -> None:
        places = await view.parts.line.list_places(
            restaurant=view.filter("restaurant").strip() or None,
            service_date=_day(view.filter("day")),
            live=view.filter("all") != "1",
            limit=MOST,
        )
        waiting.show(sum(place.status == "waiting" for place in places))
        offered.show(sum(place.status == "offered" for place in places), "kept until they answer")
        first.show(sum(place.comes_first for place in places), "passed over too often")
        table.show([_row(place) for place in places])

    await view.live(refresh, "dibs_line", "dibs_opening", every_s=3.0)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _table(view: View) -> Table:
    return Table(
        [
            Column("position", "Place", "number"),
            Column("restaurant", "Restaurant"),
            Column("party", "Party", "number"),
            Column("from", "Earliest"),
            Column("to", "Latest"),
            Column("status", "Status"),
            Column("left", "Kept for"),
            Column("joined", "Joined"),
        ],
        key="place_id",
        label="Places in line",
        empty=NOTHING,
        actions=[Action("up", "Move up"), Action("down", "Move down"), Action("leave", "Take out", "danger")],
        on_action=lambda action, place_id: _act(view, action, int(place_id)),
    )


def _row(place: Place) -> dict[str, Any]:
    live = place.status in ("waiting", "offered")
    movable = [name for name in ("up", "down") if place.status == "waiting" and (name == "down" or place.position != 1)]
    why = place.reason or ("passed over too often; nobody behind goes first" if place.comes_first else "")
    return {
        "place_id": place.place_id,
        "position": place.position,
        "restaurant": place.restaurant,
        "party": place.party_size,
        "from": cell_time(place.earliest, "moment"),
        "to": cell_time(place.latest, "moment"),
        "status": cell_status(place.status, why=why),
        "left": cell_time(place.offer_expires_at, "countdown") if place.status == "offered" else None,
        "joined": cell_time(place.joined_at),
        "_actions": [*movable, "leave"] if live else [],
    }


async def _act(view: View, action: str, place_id: int) -> None:
    await view.require("staff")
    if action == "leave":
        if await confirm("Take this party out of the line?", "They lose their place.", yes="Take out", danger=True):
            await view.parts.line.leave(place_id, by="staff")
            tell("The party is out of the line.")
    else:
        place = await view.parts.line.get(place_id)
        wanted = max(1, (place.position or 1) + (1 if action == "down" else -1))
        moved = await view.parts.line.move(place_id, wanted)
        tell(f"The party is number {moved.position} now.")
    view.refresh_soon()
