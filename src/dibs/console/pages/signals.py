"""Signals: the cached availability of a product as a calendar, and the cadences that keep it current."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

from dibs.console.components import (
    Action,
    Choice,
    Column,
    Empty,
    Table,
    button,
    card,
    cell_time,
    choice,
    el,
    row,
    tell,
)
from dibs.console.components.heat_map import Day, HeatMap, heat_legend
from dibs.console.page import View, page
from dibs.errors import NotFound
from dibs.signals.model import Cadence, DateAnswer, ProductKey
from dibs.signals.read import list_cadences, list_dates, list_products
from dibs.signals.tick import tick

MOST_PRODUCTS = 500
NO_CADENCE = Empty(
    "No cadence has started yet", "The schedules of the configuration appear with the first worker.", "timer"
)
COLUMNS = (
    Column("cadence", "Cadence"),
    Column("every", "Every", align="number"),
    Column("products", "Products", align="number"),
    Column("dirty", "Dirty now", align="number"),
    Column("last", "Last tick"),
    Column("estimated", "Estimated then", align="number"),
    Column("due", "Next"),
)
REASONS = {
    "sold_out": "sold out",
    "over_allocated": "more is allocated than the capacity allows",
    "no_capacity": "no capacity",
    "out_of_range": "outside the product's range",
    "no_floor": "the restaurant has no floor",
}


@page("/signals", "Signals")
async def signals(view: View) -> None:
    view.head("Signals", "What can be had of our own inventory, as it is cached, and how old that is.", live=True)
    with card("Availability"):
        product_calendar = _Calendar(view)
    with card("Cadences", flush=True):
        cadences = _Cadences(view)

    async def refresh() -> None:
        await product_calendar.refresh()
        await cadences.refresh()

    await view.live(refresh, "dibs_opening")


class _Calendar:
    """The heat map of the chosen product and month; both stand in the address."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._drawn: tuple[str, date] | None = None
        self._map: HeatMap | None = None
        with el("div", classes="dibs-filters", role="search", aria_label="Choose a product and a month"):
            self._product: Choice = choice(
                "Product",
                {"": "None yet"},
                view.filter("product"),
                on_change=lambda value: view.set_filter("product", value),
            )
            with row():
                button("Earlier month", lambda: self._move(-1), look="quiet", sign="chevron_left")
                button("Later month", lambda: self._move(1), look="quiet", sign="chevron_right")
        self._place = el("div", classes="dibs-heat-place")
        heat_legend("changed since it was cached")

    def _month(self) -> date:
        """The first day of the month in the address; today's without one, or with one that makes no sense."""
        try:
            return date.fromisoformat(f"{self._view.filter('month')}-01")
        except ValueError:
            return self._view.parts.clock.now().date().replace(day=1)

    async def _move(self, months: int) -> None:
        month = self._month()
        there = (month - timedelta(days=1) if months < 0 else month + timedelta(days=32)).replace(day=1)
        self._view.set_filter("month", f"{there:%Y-%m}")

    async def refresh(self) -> None:
        parts = self._view.parts
        products = await list_products(parts.db, limit=MOST_PRODUCTS)
        usual = f"{products[0].name} (the first)" if products else "None yet"
        self._product.offer({"": usual} | {one.product_key: f"{one.name} ({one.product_key})" for one in products})
        chosen = self._view.filter("product") or (products[0].product_key if products else "")
        month = self._month()
        if self._drawn != (chosen, month):
            self._drawn = (chosen, month)
            self._draw(chosen, month)
        if self._map:
            self._map.show([_day(answer) for answer in await self._read(chosen, month)])

    def _draw(self, chosen: str, month: date) -> None:
        self._place.clear()
        self._map = None
        with self._place:
            if chosen:
                self._map = HeatMap(month, f"{chosen}, {month:%B %Y}")
            else:
                el("p", "No product yet. PUT /api/products/… makes one, with its dates and signals.")

    async def _read(self, chosen: str, month: date) -> list[DateAnswer]:
        key = chosen.split("::")
        if len(key) != 4:
            return []
        last = month.replace(day=calendar.monthrange(month.year, month.month)[1])
        parts = self._view.parts
        try:
            return await list_dates(parts.db, parts.clock, ProductKey(*key), month, last, limit=31)
        except NotFound:
            return []


def _day(answer: DateAnswer) -> Day:
    """A date of the cache as a cell."""
    why = f", {REASONS[answer.reason]}" if answer.reason else ""
    tier = f" ({answer.tier})" if answer.tier else ""
    state = "; changed since" if answer.state == "dirty" else ""
    hover = (
        f"{answer.date:%a %d %b %Y}: {answer.available} of {answer.capacity}{tier}{why}. "
        f"Cached {_age(answer.age_s)} ago, version {answer.version}{state}"
    )
    share = answer.available / answer.capacity if answer.capacity else 0.0
    return Day(answer.date, str(answer.value), share, hover, marked=answer.state == "dirty")


def _age(seconds: float) -> str:
    """How long ago, in the largest unit that fits."""
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"


class _Cadences:
    """The schedules, and a button that ticks one now."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._table = Table(
            COLUMNS,
            key="cadence",
            label="Cadences",
            empty=NO_CADENCE,
            search=False,
            actions=[Action("tick", "Tick now")],
            on_action=self._act,
        )

    async def _act(self, _: str, cadence_id: str) -> None:
        await self._view.require("staff")
        parts = self._view.parts
        done = await tick(parts.db, parts.clock, cadence_id, parts.config.signals.schedule())
        tell(f"{done.cadence}: {done.estimated} of {done.checked} dirty signals estimated, {done.changed} changed")
        self._view.refresh_soon()

    async def refresh(self) -> None:
        found = await list_cadences(self._view.parts.db, self._view.parts.clock)
        self._table.show([_cadence_row(one) for one in found])


def _cadence_row(one: Cadence) -> dict[str, object]:
    return {
        "cadence": one.cadence_id,
        "every": f"{one.interval_s:g} s",
        "products": one.products,
        "dirty": one.dirty,
        "last": cell_time(one.last_tick_at) or "never",
        "estimated": "" if one.last_estimated is None else one.last_estimated,
        "due": cell_time(one.due_at) or "",
    }
