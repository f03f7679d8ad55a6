"""The plan of a floor and the timeline of its day."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui.element import Element

from dibs.console.components.button import guarded
from dibs.console.static import STATIC


class FloorPlan(Element, component=STATIC / "floor_plan.js"):
    """Tables in their places; a press on one tells its id."""

    def __init__(self, on_pick: Callable[[str], Awaitable[Any]]) -> None:
        super().__init__()
        self._props["zones"] = []
        self.on("pick", lambda event: guarded(lambda: on_pick(_only(event.args))))

    def show(self, zones: Sequence[dict[str, Any]]) -> None:
        """Another state; nothing is sent when it is the same."""
        fresh = list(zones)
        if fresh != self._props["zones"]:
            self._props["zones"] = fresh
            self.update()


class FloorDay(Element, component=STATIC / "floor_day.js"):
    """Tables by time."""

    def __init__(self) -> None:
        super().__init__()
        self._props.update({"label": "", "hours": [], "rows": [], "at": -1})

    def show(self, label: str, hours: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]], at: float) -> None:
        """Another day; nothing is sent when it is the same."""
        fresh = {"label": label, "hours": list(hours), "rows": list(rows), "at": at}
        if any(self._props[name] != value for name, value in fresh.items()):
            self._props.update(fresh)
            self.update()


def _only(args: Any) -> str:
    return str(args[0] if isinstance(args, list) else args)
