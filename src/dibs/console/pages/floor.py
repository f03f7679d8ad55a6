"""Floor: the plan at a chosen time, the day's timeline, and a party seated from it."""

from __future__ import annotations

from datetime import date, time
from uuid import UUID

from dibs.capacity import cancel_booking, confirm_hold, list_restaurants, release_hold
from dibs.capacity.floor_store import Restaurant
from dibs.console.components import (
    Action,
    Column,
    Empty,
    Table,
    badge_of,
    card,
    choice,
    confirm,
    date_field,
    el,
    empty_state,
    row,
    tell,
    time_field,
)
from dibs.console.components.floor_plan import FloorDay, FloorPlan
from dibs.console.page import View, page
from dibs.console.panels.floor_desk import Desk
from dibs.console.panels.floor_scene import claims_of, look, moment_of, plan_of, timeline_of

NO_RESTAURANT = Empty(
    "There is no restaurant yet",
    "Load a floor: zones, tables, and which of them stand together.",
    "table_restaurant",
    "dibs floor load FILE",
)
NO_CLAIMS = Empty("Nothing is booked or held on that day", "Find tables for a party above.", "event_available")
COLUMNS = [
    Column("tables", "Tables"),
    Column("party", "Guests", "number"),
    Column("time", "Blocked"),
    Column("state", "State"),
    Column("left", "Time left"),
]
ACTIONS = [Action("confirm", "Confirm"), Action("release", "Let go"), Action("cancel", "Cancel", "danger")]


@page("/floor", "Floor")
async def floor(view: View) -> None:
    view.head("Floor", "What is free, held and booked, and where the next party sits.", live=True)
    restaurants = await list_restaurants(view.parts.capacity, limit=500)
    if not restaurants:
        empty_state(NO_RESTAURANT)
        return
    _filters(view, restaurants)
    shown = el("p", "", classes="dibs-muted")
    picked: set[str] = set()

    async def pick(table_id: str) -> None:
        picked.symmetric_difference_update({table_id})
        view.refresh_soon()

    desk = Desk(view, picked)
    with card("Plan", note="press tables to pick them"):
        _legend()
        plan = FloorPlan(pick)
    with card("The day"):
        timeline = FloorDay()
    with card("Bookings and holds of the day", flush=True):
        claims = Table(
            COLUMNS,
            key="key",
            label="Bookings and holds",
            empty=NO_CLAIMS,
            actions=ACTIONS,
            on_action=lambda name, key: _act(view, name, key),
        )

    async def refresh() -> None:
        scene = await look(view, _restaurant(view, restaurants), _day(view), _time(view))
        shown.show(moment_of(scene))
        plan.show(plan_of(scene, picked))
        timeline.show(*timeline_of(scene))
        claims.show(claims_of(scene))
        desk.shown(scene)

    await view.live(refresh, every_s=2.0)


def _filters(view: View, restaurants: list[Restaurant]) -> None:
    def keep(name: str, value: str) -> None:
        view.set_filter(name, value)

    with el("div", classes="dibs-filters", role="search", aria_label="What to look at"):
        names = {one.slug: one.name for one in restaurants}
        here = _restaurant(view, restaurants)
        choice("Restaurant", names, here, on_change=lambda value: keep("restaurant", value))
        date_field("Day, today if empty", view.filter("day"), on_change=lambda value: keep("day", value))
        time_field("At, now if empty", view.filter("at"), on_change=lambda value: keep("at", value))


def _restaurant(view: View, restaurants: list[Restaurant]) -> str:
    known = {one.slug for one in restaurants}
    chosen = view.filter("restaurant")
    return chosen if chosen in known else restaurants[0].slug


def _day(view: View) -> date | None:
    try:
        day = date.fromisoformat(view.filter("day"))
    except ValueError:
        return None
    return day if 2000 < day.year < 2200 else None


def _time(view: View) -> time | None:
    try:
        return time.fromisoformat(view.filter("at")).replace(tzinfo=None)
    except ValueError:
        return None


def _legend() -> None:
    with row():
        badge_of("good", "free", sign="event_available")
        badge_of("warn", "held", sign="timer")
        badge_of("info", "booked", sign="event_busy")
        badge_of("quiet", "not in use")


async def _act(view: View, name: str, key: str) -> None:
    await view.require("staff")
    item = UUID(key.partition(":")[2])
    if name == "confirm":
        await confirm_hold(view.parts.capacity, item, idempotency_key=str(item))
        tell("The hold is a booking now.")
    elif name == "release":
        await release_hold(view.parts.capacity, item)
        tell("The tables are free again.")
    elif await confirm(
        "Cancel this booking?", "Its tables are free at once.", yes="Cancel it", no="Keep it", danger=True
    ):
        await cancel_booking(view.parts.capacity, item)
        tell("The booking is cancelled.")
    view.refresh_soon()
