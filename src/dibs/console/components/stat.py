"""One number that matters."""

from __future__ import annotations

from nicegui.element import Element

from dibs.console.components.badge import Tone
from dibs.console.components.element import Node, el


class Stat:
    """A number with its name and a sentence; `show` changes it in place."""

    def __init__(self, box: Element, value: Node, hint: Node) -> None:
        self._box = box
        self._value = value
        self._hint = hint
        self._tone: Tone = "quiet"

    def show(self, value: str | int, hint: str = "", tone: Tone = "quiet") -> None:
        self._value.show(f"{value:,}" if isinstance(value, int) else value)
        self._hint.show(hint)
        if tone != self._tone:
            self._box.classes(remove=f"tone-{self._tone}", add=f"tone-{tone}")
            self._tone = tone


def stat(label: str, value: str | int = "–", hint: str = "", *, href: str | None = None) -> Stat:
    """A box for one number; with `href` it leads to the page behind it."""
    with el("a" if href else "div", classes="dibs-stat", href=href) as box:
        el("span", label, classes="dibs-stat-label")
        shown = el("span", "", classes="dibs-stat-value")
        told = el("span", "", classes="dibs-stat-hint")
    made = Stat(box, shown, told)
    made.show(value, hint)
    return made
