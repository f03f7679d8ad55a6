"""A list whose newest items arrive on top while one looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from nicegui.element import Element

from dibs.console.components.element import safe_link
from dibs.console.components.notice import Empty
from dibs.console.components.time import iso
from dibs.console.static import STATIC


@dataclass(frozen=True, slots=True)
class Fact:
    """A small thing below the title: words, or a time."""

    icon: str
    text: str = ""
    at: str = ""

    @staticmethod
    def time(icon: str, at: datetime) -> Fact:
        return Fact(icon, at=iso(at))


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a live list; `badge` is a `cell_badge` or `cell_status`."""

    id: str
    at: str
    title: str
    badge: dict[str, Any]
    facts: tuple[Fact, ...] = field(default=())
    gone: bool = False
    page: str = ""
    href: str = ""
    link_text: str = "Book"


class LiveList(Element, component=STATIC / "live_list.js"):
    """Newest first; what arrives is lit for a moment and read out to those who listen."""

    def __init__(self, label: str, empty: Empty, *, items: Sequence[Item] = (), unit: str = "just opened") -> None:
        super().__init__()
        self._props.update({"items": _plain(items), "label": label, "unit": unit, "empty": empty.shown()})

    def show(self, items: Sequence[Item]) -> None:
        """Other items; nothing is sent when they are the same."""
        fresh = _plain(items)
        if fresh != self._props["items"]:
            self._props["items"] = fresh
            self.update()


def _plain(items: Sequence[Item]) -> list[dict[str, Any]]:
    return [asdict(item) | {"href": safe_link(item.href) or "", "page": safe_link(item.page) or ""} for item in items]
