"""Line: who waits for a table, in which order, and what is kept for whom."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from dibs.capacity import list_restaurants
from dibs.console.components import (
    Action,
    Column,
    Empty,
    Table,
    card,
    cell_badge,
    cell_status,
    cell_time,
    cell_two,
    choice,
    confirm,
    el,
    grid,
    stat,
    tell,
)
from dibs.console.page import View, page
from dibs.offers import Place

MOST = 500
NOBODY = Empty(
    "Nobody is in line",
    "Who finds nothing free takes a place, with a party size and the times that would do. The first who fits is "
    "offered what opens.",
    "groups",
    "POST /api/restaurants/{slug}/line",
)
COLUMNS = (
    Column("place", "Place"),
    Column("party", "Party", "number"),
    Column("from", "From"),
    Column("later", "Or later by", "number"),
    Column("status", "Status"),
    Column("start", "Offered for"),
    Column("left", "Kept for"),
)
ACTIONS = (Action("up", "Up"), Action("down", "Down"), Action("remove", "Remove", "danger"))
FIRST = "Passed over too often: until it is served, nobody behind it is offered room at its times."


@page("/line", "Line")
async def line(view: View) -> None:
    await view.require("staff")
    view.head("Line", "Who waits for a table, in which order, and what is kept for whom.", live=True)
    with el("div", classes="dibs-filters", role="search", aria_label="Choose a line"):
        pick = _Filters(view)
    with grid():
        waiting, offered, first = stat("Waiting"), stat("Offered now"), stat("Come first")
    with card():
        table = Table(
            COLUMNS,
            key="place_id",
            label="Places in line",
            empty=NOBODY,
            actions=ACTIONS,
            on_action=lambda action, place_id: _act(view, action, int(place_id)),
        )

    async def refresh() -> None:
        places = await pick.places()
        waiting.show(sum(place.status == "waiting" for place in places))
        offered.show(sum(place.status == "offered" for place in places), "kept until they answer")
        first.show(sum(place.comes_first for place in places), "were passed over too often")
        table.show(_rows(places, pick.names))

    await view.live(refresh, "dibs_line", "dibs_opening", every_s=3.0)


class _Filters:
    """Which line is shown: the restaurant and the day stand in the address."""

    def __init__(self, view: View) -> None:
        self.names: dict[str, str] = {}
        self._view = view
        self._restaurant = choice(
            "Restaurant", {}, view.filter("restaurant"), on_change=lambda value: view.set_filter("restaurant", value)
        )
        self._day = choice("Day", {}, view.filter("day"), on_change=lambda value: view.set_filter("day", value))

    async def places(self) -> list[Place]:
        """Who waits, line by line, and in each in its order."""
        parts, restaurant = self._view.parts, self._view.filter("restaurant") or None
        self.names = {one.slug: one.name for one in await list_restaurants(parts.capacity, limit=MOST)}
        self._restaurant.offer({"": "All restaurants"} | self.names)
        found = await parts.line.list_places(restaurant=restaurant, limit=MOST)
        days = sorted({place.service_date for place in found})
        self._day.offer({"": "All days"} | {day.isoformat(): _words(day) for day in days})
        if (day := _day(self._view.filter("day"))) is not None:
            found = await parts.line.list_places(restaurant=restaurant, service_date=day, limit=MOST)
        return sorted(found, key=lambda place: (place.service_date, place.restaurant, place.position or 0))


def _day(text: str) -> date | None:
    """The day in the address; none, or one that makes no sense, means all."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _words(day: date) -> str:
    return f"{day:%a %d %b %Y}"


def _rows(places: Sequence[Place], names: dict[str, str]) -> list[dict[str, Any]]:
    last: dict[tuple[str, date], int] = {}
    for place in places:
        last[place.restaurant, place.service_date] = place.position or 0
    return [
        _row(place, names.get(place.restaurant, place.restaurant), last[place.restaurant, place.service_date])
        for place in places
    ]


def _row(place: Place, name: str, last: int) -> dict[str, Any]:
    position, kept = place.position or 0, place.status == "offered"
    moves = [*(["up"] if position > 1 else []), *(["down"] if position < last else [])]
    return {
        "place_id": place.place_id,
        "place": cell_two(f"No. {position}", f"{name}, {place.service_date:%a %d %b}") | {"sort": position},
        "party": place.party_size,
        "from": cell_time(place.earliest, "moment"),
        "later": _later(place),
        "status": _status(place),
        "start": cell_time(place.offer_start_at, "moment") if kept else None,
        "left": cell_time(place.offer_expires_at, "countdown") if kept else None,
        "_actions": [*moves, "remove"],
    }


def _later(place: Place) -> dict[str, Any]:
    minutes = int((place.latest - place.earliest).total_seconds() // 60)
    return {"text": f"{minutes} min" if minutes else "no", "sort": minutes}


def _status(place: Place) -> dict[str, Any]:
    if place.comes_first and place.status == "waiting":
        return cell_badge("warn", "comes first", why=FIRST, sign="priority_high")
    passed = f"Passed over {place.passed} times" if place.passed else ""
    return cell_status(place.status, why=place.reason or passed)


async def _act(view: View, action: str, place_id: int) -> None:
    await view.require("staff")
    place = await view.parts.line.get(place_id)
    if action == "remove":
        await _remove(view, place)
    else:
        moved = await view.parts.line.move(place_id, max(1, (place.position or 1) + (1 if action == "down" else -1)))
        tell(f"The party of {moved.party_size} is number {moved.position} now.")
    view.refresh_soon()


async def _remove(view: View, place: Place) -> None:
    loses = "They lose their place, and what is kept for them goes to the next."
    question = f"Remove the party of {place.party_size} from the line?"
    if await confirm(question, loses, yes="Remove", no="Keep", danger=True):
        await view.parts.line.leave(place.place_id, by="removed")
        tell("The party is out of the line.")
