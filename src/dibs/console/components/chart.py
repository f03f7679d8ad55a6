"""Charts, for what people would rather look at than read; each carries a sentence that says the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nicegui import ui
from nicegui.element import Element

from dibs.console.components.element import el

INK = "var(--soft)"
# A line of one point has no length: so few points are drawn as points, too.
FEW = 8
COLOURS = ["var(--chart-1)", "var(--chart-2)", "var(--chart-3)", "var(--chart-4)"]


@dataclass(frozen=True, slots=True)
class Series:
    """One line or one kind of bar."""

    name: str
    values: Sequence[float | None]


class Chart:
    """A chart that `show` changes in place."""

    def __init__(self, kind: Literal["line", "bar"], unit: str, *, stacked: bool) -> None:
        self._kind = kind
        self._unit = unit
        self._stacked = stacked
        self._box: Element = el("figure", classes="dibs-chart-box", role="img")
        with self._box:
            self._chart = ui.echart(_frame(unit), renderer="svg").classes("dibs-chart")
        self._nothing = el("p", "", classes="dibs-empty")
        self._nothing.set_visibility(False)

    def show(self, labels: Sequence[str], series: Sequence[Series], sentence: str) -> None:
        """`labels` are times (RFC 3339, shown local) or words.

        `sentence` is read out instead of the picture, and shown when there is nothing to draw.
        """
        empty = not any(value for one in series for value in one.values)
        self._box.set_visibility(not empty)
        self._nothing.set_visibility(empty)
        self._nothing.show(sentence)
        if self._box.props.get("aria-label") != sentence:
            self._box.props["aria-label"] = sentence
            self._box.update()
        options = self._chart.options
        fresh = [self._drawn(one, COLOURS[index % len(COLOURS)]) for index, one in enumerate(series)]
        if options.get("series") == fresh and options["xAxis"]["data"] == list(labels):
            return
        options["xAxis"]["data"] = list(labels)
        options["series"] = fresh
        options["legend"]["show"] = len(series) > 1
        options["grid"]["top"] = 40 if len(series) > 1 else 14
        self._chart.update()

    def _drawn(self, one: Series, colour: str) -> dict[str, Any]:
        line = {"smooth": 0.25, "showSymbol": len(one.values) <= FEW, "lineStyle": {"width": 2.5, "color": colour}}
        area = {"areaStyle": {"color": colour, "opacity": 0.13}}
        bar = {"barMaxWidth": 26, "itemStyle": {"color": colour, "borderRadius": [4, 4, 0, 0]}}
        look = {**line, **area, "itemStyle": {"color": colour}} if self._kind == "line" else bar
        stack = {"stack": "all"} if self._stacked else {}
        return {"type": self._kind, "name": one.name, "data": list(one.values), **look, **stack}


def _frame(unit: str) -> dict[str, Any]:
    # A label that is a time is shown in the reader's zone; everything else as it is.
    hour = (
        "(v) => /^\\d{4}-\\d\\d-\\d\\dT/.test(v)"
        " ? new Date(v).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'}) : v"
    )
    return {
        "animation": False,
        "grid": {"left": 6, "right": 10, "top": 14, "bottom": 4, "containLabel": True},
        "legend": {"show": False, "top": 0, "textStyle": {"color": INK}},
        # Drawn as text, not as HTML: a name that came from a provider stays a name.
        "tooltip": {"trigger": "axis", "renderMode": "richText", "confine": True},
        "xAxis": {
            "type": "category",
            "data": [],
            "axisLabel": {"color": INK, ":formatter": hour, "hideOverlap": True},
            "axisLine": {"lineStyle": {"color": "var(--line)"}},
            "axisTick": {"show": False},
        },
        "yAxis": {
            "type": "value",
            "name": unit,
            "minInterval": 1 if not unit else 0,
            "nameTextStyle": {"color": INK, "align": "left"},
            "axisLabel": {"color": INK},
            "splitLine": {"lineStyle": {"color": "var(--line)"}},
        },
        "series": [],
    }


def line_chart(unit: str = "") -> Chart:
    """A line over time."""
    return Chart("line", unit, stacked=False)


def bar_chart(unit: str = "", *, stacked: bool = False) -> Chart:
    """Bars over time or over things."""
    return Chart("bar", unit, stacked=stacked)
