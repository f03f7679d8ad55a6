"""A month as a calendar whose cells are darker the more there is; each also says it in figures."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from nicegui.element import Element

from dibs.console.components.element import Node, el, set_attributes

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# One hue from light to dark, hatched for nothing: shades differ in lightness, so every eye can tell them apart.
LEVELS = 5


@dataclass(frozen=True, slots=True)
class Day:
    """A date of the calendar: what stands in its cell, and what hovering over it tells."""

    date: date
    text: str
    share: float
    hover: str
    marked: bool = False

    @property
    def level(self) -> int:
        """0 for nothing, then by quarters."""
        return 0 if self.share <= 0 else min(LEVELS - 1, 1 + int(self.share * (LEVELS - 1) - 1e-9))


class HeatMap:
    """The calendar of one month; `show` fills it in and sends only the cells that differ."""

    def __init__(self, month: date, label: str) -> None:
        self._cells: dict[date, tuple[Element, Node]] = {}
        self._shown: dict[date, Day | None] = {}
        with el("table", classes="dibs-heat"):
            el("caption", label)
            with el("thead"), el("tr"):
                for name in WEEKDAYS:
                    el("th", name, scope="col")
            with el("tbody"):
                for week in calendar.Calendar().monthdatescalendar(month.year, month.month):
                    self._week(week, month)

    def _week(self, week: Sequence[date], month: date) -> None:
        with el("tr"):
            for day in week:
                if day.month != month.month:
                    el("td", classes="is-outside")
                    continue
                with el("td", classes="is-empty") as cell:
                    el("span", str(day.day), classes="dibs-heat-day")
                    self._cells[day] = (cell, el("span", "", classes="dibs-heat-text"))
                self._shown[day] = None

    def show(self, days: Sequence[Day]) -> None:
        """Fills in the days; the others are empty."""
        given = {day.date: day for day in days}
        for when, (cell, text) in self._cells.items():
            day = given.get(when)
            if day == self._shown[when]:
                continue
            self._shown[when] = day
            cell.classes(replace=f"level-{day.level}{' is-marked' if day.marked else ''}" if day else "is-empty")
            set_attributes(cell, {"title": day.hover if day else None})
            text.show(day.text if day else "")
            cell.update()


def heat_legend(marked: str) -> None:
    """What the shades and the mark mean."""
    words = ("none", "up to a quarter", "up to a half", "up to three quarters", "more")
    with el("ul", classes="dibs-heat-legend", aria_label="What the shades mean"):
        for level, text in enumerate(words):
            with el("li"):
                el("span", classes=f"dibs-heat-key level-{level}", aria_hidden="true")
                el("span", text)
        with el("li"):
            el("span", classes="dibs-heat-key is-marked", aria_hidden="true")
            el("span", marked)
