"""Pictures that one can work with: a floor, a timeline. Each part of them is a button with words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from nicegui.element import Element

from dibs.console.components.badge import Tone
from dibs.console.components.button import guarded
from dibs.console.components.notice import Empty
from dibs.console.components.time import iso
from dibs.console.static import STATIC

Opened = Callable[[Any], Awaitable[Any]]


class _Drawing(Element):
    """What all of them share: data as props, sent only when it changed; `on_open` gets the id that was pressed."""

    def _listen(self, event: str, act: Opened | None) -> None:
        if act:
            self.on(event, lambda pressed: guarded(lambda: act(_only(pressed.args))))

    def _send(self, **props: Any) -> None:
        named = {name.replace("_", "-"): value for name, value in props.items()}
        if any(self._props.get(name) != value for name, value in named.items()):
            self._props.update(named)
            self.update()


def _only(args: Any) -> Any:
    return args[0] if isinstance(args, list) else args


@dataclass(frozen=True, slots=True)
class Place:
    """A table on a floor plan: `state` is free, held, booked or inactive; `until` counts down."""

    id: str
    label: str
    capacity: int
    state: str
    x: float | None = None
    y: float | None = None
    until: datetime | None = None
    why: str = ""


class FloorPlan(_Drawing, component=STATIC / "floor_plan.js"):
    """Tables where they stand; `on_open` gets the id of the one that was pressed."""

    def __init__(self, label: str, empty: Empty, *, on_open: Opened | None = None) -> None:
        super().__init__()
        self._props.update({"tables": [], "chosen": [], "label": label, "empty": empty.shown()})
        self._listen("open", on_open)

    def show(self, places: Sequence[Place], chosen: Sequence[str] = ()) -> None:
        tables = [asdict(place) | {"until": iso(place.until) if place.until else None} for place in places]
        self._send(tables=tables, chosen=list(chosen))


@dataclass(frozen=True, slots=True)
class Block:
    """Something that lasts from `start` to `end`."""

    id: str
    start: datetime
    end: datetime
    text: str
    tone: Tone = "info"


@dataclass(frozen=True, slots=True)
class Lane:
    """A row of a timeline."""

    id: str
    label: str
    blocks: Sequence[Block]


class Timeline(_Drawing, component=STATIC / "timeline.js"):
    """Rows over time; `on_open` gets the id of the block that was pressed."""

    def __init__(self, label: str, empty: Empty, *, on_open: Opened | None = None) -> None:
        super().__init__()
        self._props.update({"rows": [], "start": "", "end": "", "now": "", "label": label, "empty": empty.shown()})
        self._listen("open", on_open)

    def show(self, lanes: Sequence[Lane], *, start: datetime, end: datetime, now: datetime | None = None) -> None:
        rows = [
            {"id": lane.id, "label": lane.label, "blocks": [_block(block) for block in lane.blocks]} for lane in lanes
        ]
        self._send(rows=rows, start=iso(start), end=iso(end), now=iso(now) if now else "")


def _block(block: Block) -> dict[str, Any]:
    return asdict(block) | {"start": iso(block.start), "end": iso(block.end)}
