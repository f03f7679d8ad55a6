"""Boxes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from nicegui.element import Element

from dibs.console.components.element import el


@contextmanager
def card(title: str = "", *, note: str = "", flush: bool = False) -> Generator[Element]:
    """A box with a heading; `note` stands beside it; `flush` lets a list reach the edges."""
    with el("section", classes="dibs-card is-flush" if flush else "dibs-card", aria_label=title or None) as box:
        if title:
            with el("div", classes="dibs-card-head"):
                el("h2", title)
                if note:
                    el("span", note, classes="dibs-muted dibs-small")
        yield box


def grid() -> Element:
    """Small boxes side by side."""
    return el("div", classes="dibs-grid")


def wide_grid() -> Element:
    """Large boxes side by side where there is room."""
    return el("div", classes="dibs-grid is-wide")


def row(classes: str = "") -> Element:
    """Things beside each other, wrapping."""
    return el("div", classes=f"dibs-row {classes}")


def stack() -> Element:
    """Things below each other."""
    return el("div", classes="dibs-stack")


def heading(text: str) -> Element:
    """A heading inside a page."""
    return el("h2", text)


def hint(text: str) -> Element:
    """A quiet sentence."""
    return el("p", text, classes="dibs-muted dibs-small")


def facts(pairs: Sequence[tuple[str, str | None]]) -> Element:
    """Names and values of one thing."""
    with el("dl", classes="dibs-facts") as box:
        for name, value in pairs:
            el("dt", name)
            el("dd", value if value not in (None, "") else "—")
    return box
