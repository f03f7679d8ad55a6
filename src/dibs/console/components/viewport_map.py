"""A map without tiles, whose viewport is what a search gets as bounds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from math import cos, radians
from typing import Any

from nicegui.element import Element

from dibs.console.static import STATIC
from dibs.places.geo import Bounds, Point

# As the browser half draws it.
HEIGHT_OF_WIDTH = 420 / 640


@dataclass(frozen=True, slots=True)
class Mark:
    """A point with a name."""

    key: str
    lat: float
    lng: float
    name: str = ""
    active: bool = True


@dataclass(frozen=True, slots=True)
class Eye:
    """Where a person looks, and how wide, in degrees of longitude."""

    lat: float
    lng: float
    span: float


class ViewportMap(Element, component=STATIC / "viewport_map.js"):
    """Drag, zoom and arrow keys move it; `bounds` is what it shows."""

    def __init__(self, label: str, eye: Eye, on_move: Callable[[Eye], Awaitable[Any] | None]) -> None:
        super().__init__()
        self._props.update({"places": [], "found": [], "start": asdict(eye), "label": label})
        self._on_move = on_move
        # Until the browser tells its own: a person may press a button before that.
        self.bounds = _around(eye)
        self.on("moved", self._moved)

    def show(self, places: Sequence[Mark], found: Sequence[Mark]) -> None:
        """Other marks; nothing is sent when they are the same."""
        fresh = {"places": [asdict(one) for one in places], "found": [asdict(one) for one in found]}
        if any(self._props[name] != marks for name, marks in fresh.items()):
            self._props.update(fresh)
            self.update()

    async def _moved(self, event: Any) -> None:
        told = event.args[0] if isinstance(event.args, list) else event.args
        self.bounds = Bounds(_point(told["bounds"]["ne"]), _point(told["bounds"]["sw"]))
        if pending := self._on_move(Eye(float(told["lat"]), float(told["lng"]), float(told["span"]))):
            await pending


def _around(eye: Eye) -> Bounds:
    up = eye.span / 2 * HEIGHT_OF_WIDTH * cos(radians(eye.lat))
    side = min(179.999, eye.span / 2)
    north, south = min(85.0, eye.lat + up), max(-85.0, eye.lat - up)
    return Bounds(Point(north, _wrapped(eye.lng + side)), Point(south, _wrapped(eye.lng - side)))


def _wrapped(lng: float) -> float:
    return (lng + 180) % 360 - 180


def _point(told: dict[str, Any]) -> Point:
    return Point(float(told["lat"]), float(told["lng"]))
