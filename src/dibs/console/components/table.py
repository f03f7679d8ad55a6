"""Tables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from nicegui.element import Element

from dibs.console.components.button import Look, guarded
from dibs.console.components.notice import Empty
from dibs.console.components.time import Mode, iso
from dibs.console.static import STATIC

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `name` is the key in each row, `label` what people read."""

    name: str
    label: str
    align: Literal["text", "number"] = "text"
    sort: bool = True


@dataclass(frozen=True, slots=True)
class Action:
    """A button in every row; a row with `_actions` (a list of names) shows only those."""

    name: str
    label: str
    look: Look = "quiet"


class Table(Element, component=STATIC / "data_table.js"):
    """Rows that people can search and sort; what they searched stays in the address.

    A row is a mapping; a cell is text, a number, None or one of `cell_…`; `_tone` and `_actions` are
    special. `query` prefixes the names in the address when a page has more than one table.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        key: str,
        label: str,
        empty: Empty,
        rows: Sequence[Row] = (),
        search: bool = True,
        query: str = "",
        on_open: Callable[[Any], Awaitable[Any]] | None = None,
        actions: Sequence[Action] = (),
        on_action: Callable[[str, Any], Awaitable[Any]] | None = None,
    ) -> None:
        super().__init__()
        self._props.update(
            {
                "columns": [asdict(column) for column in columns],
                "rows": list(rows),
                "row-key": key,
                "label": label,
                "search": search,
                "search-label": f"Search {label.lower()}",
                "query": query or "t",
                "empty": empty.shown(),
                "actions": [asdict(action) for action in actions],
                "clickable": on_open is not None,
            }
        )
        if on_open:
            self.on("open", lambda event: guarded(lambda: on_open(_only(event.args))))
        if on_action:
            self.on("action", lambda event: guarded(lambda: on_action(*event.args)))

    def show(self, rows: Sequence[Row]) -> None:
        """Other rows; nothing is sent when they are the same."""
        fresh = list(rows)
        if fresh != self._props["rows"]:
            self._props["rows"] = fresh
            self.update()


def _only(args: Any) -> Any:
    return args[0] if isinstance(args, list) else args


def cell_time(at: datetime | None, mode: Mode = "relative") -> dict[str, Any] | None:
    """A time in a table."""
    return {"kind": "time", "at": iso(at), "mode": mode} if at else None


def cell_link(text: str, href: str | None, small: str = "") -> dict[str, Any]:
    """A link, with a smaller line below if there is one; one that is not http(s) or a page of ours is shown as text."""
    return {"kind": "link", "text": text, "href": href or "", "small": small}


def cell_two(text: str, small: str) -> dict[str, Any]:
    """A line with a smaller one below."""
    return {"kind": "two", "text": text, "small": small}


def cell_code(text: str) -> dict[str, Any]:
    """Something that a person may copy into a command."""
    return {"kind": "code", "text": text}


def cell_meter(value: float, of: float, text: str) -> dict[str, Any]:
    """How much of a whole, with the words beside."""
    return {"kind": "meter", "value": value, "of": of, "text": text}


def cell_spark(values: Sequence[float], text: str) -> dict[str, Any]:
    """A tiny line; `text` says the same."""
    return {"kind": "spark", "values": list(values), "text": text, "value": values[-1] if values else 0}
