"""Line: who waits for a table or a product, in which order, and what is kept for whom."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from dibs.capacity import list_restaurants
from dibs.console.components import (
    Action,
    Choice,
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
MOST_DAYS = 31
NOBODY = Empty(
    "Nobody is in line",
    "Who finds nothing free takes a place: so many guests at these times, or so many pieces on these dates. The first "
    "who fits is offered what opens.",
    "groups",
    "POST /api/restaurants/{slug}/line or POST /api/line",
)
COLUMNS = (
    Column("place", "Place"),
    Column("size", "How many", "number"),
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
    view.head("Line", "Who waits for what, in which order, and what is kept for whom.", live=True)
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
        table.show(_rows(places))

    await view.live(refresh, "dibs_line", "dibs_opening", every_s=3.0)


class _Filters:
    """Which lines are shown: the restaurant or the product, and the day, stand in the address."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._restaurant = self._choice("Restaurant", "restaurant")
        self._product = self._choice("Product", "product")
        self._day = self._choice("Day", "day")

    def _choice(self, label: str, name: str) -> Choice:
        view = self._view
        return choice(label, {}, view.filter(name), on_change=lambda value: view.set_filter(name, value))

    async def places(self) -> list[Place]:
        """Who waits, line by line, and in each in its order."""
        parts, view = self._view.parts, self._view
        names = {one.slug: one.name for one in await list_restaurants(parts.capacity, limit=MOST)}
        self._restaurant.offer({"": "All restaurants"} | names)
        everybody = await parts.line.list_places(limit=MOST)
        products = {place.product: place.name for place in everybody if place.product}
        self._product.offer({"": "All products"} | products)
        restaurant, product = view.filter("restaurant") or None, view.filter("product") or None
        found = await parts.line.list_places(restaurant=restaurant, product=product, limit=MOST)
        days = sorted({day for place in found for day in _days(place)})
        self._day.offer({"": "All days"} | {day.isoformat(): _words(day) for day in days})
        if (day := _day(view.filter("day"))) is not None:
            found = await parts.line.list_places(restaurant=restaurant, product=product, day=day, limit=MOST)
        return found


def _days(place: Place) -> list[date]:
    """The days somebody waits for: one, or as many as a list of days can show."""
    if place.service_date:
        return [place.service_date]
    if place.earliest_date is None or place.latest_date is None:
        return []
    count = min((place.latest_date - place.earliest_date).days + 1, MOST_DAYS)
    return [place.earliest_date + timedelta(days=number) for number in range(count)]


def _day(text: str) -> date | None:
    """The day in the address; none, or one that makes no sense, means all."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _words(day: date) -> str:
    return f"{day:%a %d %b %Y}"


def _rows(places: Sequence[Place]) -> list[dict[str, Any]]:
    last: dict[str, int] = {}
    for place in places:
        last[place.line_key] = max(place.position or 0, last.get(place.line_key, 0))
    return [_row(place, last[place.line_key]) for place in places]


def _row(place: Place, last: int) -> dict[str, Any]:
    position, kept = place.position or 0, place.status == "offered"
    moves = [*(["up"] if position > 1 else []), *(["down"] if position < last else [])]
    line = f"{place.name}, {place.service_date:%a %d %b}" if place.service_date else place.name
    return {
        "place_id": place.place_id,
        "place": cell_two(f"No. {position}", line) | {"sort": position},
        "size": place.size,
        "from": _moment(place.earliest, place.earliest_date),
        "later": _later(place),
        "status": _status(place),
        "start": _moment(place.offer_start_at, place.offer_date if place.product else None) if kept else None,
        "left": cell_time(place.offer_expires_at, "countdown") if kept else None,
        "_actions": [*moves, "remove"],
    }


def _moment(moment: datetime | None, day: date | None) -> Any:
    """A product's date is a date wherever the reader is; a table's start is a moment."""
    return {"text": _words(day), "sort": day.isoformat()} if day else cell_time(moment, "moment")


def _later(place: Place) -> dict[str, Any]:
    span = place.latest - place.earliest
    if place.earliest_date and place.latest_date:
        # Counted on the calendar: the day on which the clocks go forward is a whole one.
        days = (place.latest_date - place.earliest_date).days
        words = "no" if not days else "1 day" if days == 1 else f"{days} days"
        return {"text": words, "sort": span.total_seconds()}
    minutes = int(span.total_seconds() // 60)
    return {"text": f"{minutes} min" if minutes else "no", "sort": span.total_seconds()}


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
        tell(f"{_who(moved)} is number {moved.position} now.")
    view.refresh_soon()


async def _remove(view: View, place: Place) -> None:
    loses = "They lose their place, and what is kept for them goes to the next."
    question = f"Remove {_who(place)[0].lower()}{_who(place)[1:]} from the line?"
    if await confirm(question, loses, yes="Remove", no="Keep", danger=True):
        await view.parts.line.leave(place.place_id, by="removed")
        tell(f"{_who(place)} is out of the line.")


def _who(place: Place) -> str:
    return f"The party of {place.size}" if place.restaurant else f"The wish for {place.size} × {place.name}"
