"""Sentences that tell a person what is the matter and what to do."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from nicegui.element import Element

from dibs.console.components.badge import SIGNS, Tone
from dibs.console.components.button import link_button
from dibs.console.components.element import el, icon, safe_link
from dibs.errors import DibsError


@dataclass(frozen=True, slots=True)
class Empty:
    """What stands where there is nothing yet: what this is, and what to do."""

    title: str
    hint: str
    icon: str = "inbox"
    command: str = ""
    action: str = ""
    href: str = ""

    def shown(self) -> dict[str, str]:
        """As the browser's components take it."""
        return asdict(self) | {"href": safe_link(self.href) or ""}


def empty_state(empty: Empty) -> Element:
    """The empty state on its own."""
    with el("div", classes="dibs-empty") as box:
        icon(empty.icon)
        el("p", empty.title, classes="dibs-empty-title")
        el("p", empty.hint)
        if empty.command:
            el("code", empty.command)
        if empty.href:
            link_button(empty.action, empty.href)
    return box


def notice(tone: Tone, title: str, text: str = "") -> Element:
    """A message inside the page."""
    with el("div", classes=f"dibs-notice tone-{tone}", role="alert" if tone == "bad" else "status") as box:
        icon(SIGNS[tone])
        with el("div"):
            el("p", title)
            if text:
                el("p", text)
    return box


def problem(error: DibsError) -> Element:
    """What went wrong, in the words of the error and with its code."""
    return notice("bad", str(error), f"({error.code})")
