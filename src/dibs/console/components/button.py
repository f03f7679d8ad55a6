"""Buttons that act once per press and say when it did not work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from nicegui import ui
from nicegui.element import Element

from dibs.console.components.dialog import tell
from dibs.console.components.element import el, icon
from dibs.errors import DibsError

Look = Literal["primary", "quiet", "danger"]
Act = Callable[[], Awaitable[Any]]


def button(text: str, act: Act, *, look: Look = "primary", sign: str = "", small: bool = False) -> Element:
    """A button; while `act` runs it takes no second press, and a `DibsError` is told to the person."""
    size = " is-small" if small else ""
    box = el("button", classes=f"dibs-button is-{look}{size}", type="button")
    with box:
        if sign:
            icon(sign)
        el("span", text)

    async def press() -> None:
        if box.props.get("disabled"):
            return
        box.props["disabled"] = True
        box.update()
        try:
            await guarded(act)
        finally:
            box.props.pop("disabled", None)
            if not box.is_deleted:
                box.update()

    box.on("click", press)
    return box


async def guarded(act: Act) -> None:
    """Runs `act`; a caller's mistake is told, not thrown."""
    try:
        await act()
    except DibsError as error:
        tell(str(error), tone="bad")


def link_button(text: str, href: str, *, look: Look = "primary", sign: str = "") -> Element:
    """A link that looks like a button."""
    with el("a", classes=f"dibs-button is-{look}", href=href) as box:
        if sign:
            icon(sign)
        el("span", text)
    return box


def go(path: str) -> None:
    """Opens another page of the console."""
    ui.navigate.to(path)
