"""The frame around every page: skip link, navigation, who is signed in, colours, the connection."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from nicegui import ui

from dibs.access import Caller
from dibs.console.components.element import el, icon
from dibs.console.plain import ASSETS


@dataclass(frozen=True, slots=True)
class Entry:
    """A place in the navigation."""

    path: str
    label: str
    icon: str


NAVIGATION = (
    Entry("/", "Overview", "dashboard"),
    Entry("/openings", "Just opened", "bolt"),
    Entry("/watches", "Watches", "visibility"),
    Entry("/line", "Line", "groups"),
    Entry("/subscriptions", "Subscriptions", "notifications"),
    Entry("/deliveries", "Deliveries", "send"),
    Entry("/floor", "Floor", "table_restaurant"),
    Entry("/signals", "Signals", "calendar_month"),
    Entry("/demand", "Demand", "travel_explore"),
    Entry("/health", "Health", "monitor_heart"),
)


def current_entry(path: str) -> str:
    """The entry that a page belongs to: `/openings/17` belongs to `/openings`."""
    fits = [e.path for e in NAVIGATION if path == e.path or (e.path != "/" and path.startswith(f"{e.path}/"))]
    return max(fits, key=len, default="")


def frame(path: str, caller: Caller, pages: Collection[str]) -> None:
    """Draws everything that surrounds the page, outside its main part."""
    client = ui.context.client
    client.content.props["id"] = "dibs-main"
    client.content.props["tabindex"] = "-1"
    with client.layout:
        parts = (
            _skip(),
            _top(),
            _side(path, caller, pages),
            el("div", classes="dibs-veil", data_dibs_veil=""),
        )
        el("div", id="dibs-lost", role="alert", hidden=True)
    for index, part in enumerate(parts):
        part.move(target_index=index)


def _skip() -> ui.element:
    return el("a", "Skip to the content", classes="dibs-skip", href="/#dibs-main", data_dibs_skip="")


def _top() -> ui.element:
    with el("header", classes="dibs-top") as top:
        menu = el(
            "button",
            classes="dibs-icon-button",
            type="button",
            aria_label="Menu",
            aria_expanded="false",
            aria_controls="dibs-nav",
            data_dibs_menu="",
        )
        with menu:
            icon("menu")
        _brand()
    return top


def _brand() -> None:
    with el("a", classes="dibs-brand", href="/"):
        el("img", src=f"{ASSETS}/icon.svg", alt="")
        el("span", "dibs")


def _side(path: str, caller: Caller, pages: Collection[str]) -> ui.element:
    here = current_entry(path)
    with el("aside", classes="dibs-side", id="dibs-nav", aria_label="Console") as side:
        _brand()
        with el("nav", aria_label="Pages"):
            for entry in NAVIGATION:
                if entry.path in pages:
                    _link(entry, current=entry.path == here)
        _foot(caller)
    return side


def _link(entry: Entry, *, current: bool) -> None:
    with el("a", href=entry.path, aria_current="page" if current else None):
        icon(entry.icon)
        el("span", entry.label)


def _foot(caller: Caller) -> None:
    with el("div", classes="dibs-side-foot"):
        with el("div", classes="dibs-who"):
            el("b", caller.name)
            el("span", f"may: {caller.scope}")
        with el("button", classes="dibs-icon-button", type="button", data_dibs_theme="", aria_label="Colours"):
            for name, choice in (("brightness_auto", "auto"), ("light_mode", "light"), ("dark_mode", "dark")):
                icon(name, classes=f"is-{choice}")
        with (
            el("form", method="post", action="/sign-out"),
            el("button", classes="dibs-icon-button", type="submit", aria_label="Sign out", title="Sign out"),
        ):
            icon("logout")
