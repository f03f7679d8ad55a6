"""Form fields: the browser's own controls, so that every keyboard, phone and screen reader knows them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui.element import Element

from dibs.console.components.element import Attribute, el, set_attributes

Changed = Callable[[Any], Awaitable[Any] | None]


class Field:
    """A labelled control; `value` is what the person entered so far."""

    def __init__(self, box: Element, control: Element, value: Any, on_change: Changed | None) -> None:
        self.box = box
        self.control = control
        self.value = value
        self._on_change = on_change

    def listen(self, event: str) -> None:
        """Takes over what the person enters at every `event` of the browser."""
        source = "e.target.checked" if isinstance(self.value, bool) else "e.target.value"
        self.control.on(event, self._take, js_handler=f"(e) => emit({source})")

    def set(self, value: str) -> None:
        """Another value, for a text, number, date or time."""
        self.value = value
        self.control.client.run_javascript(f"getHtmlElement({self.control.id}).value = {json.dumps(value)}")

    async def _take(self, event: Any) -> None:
        self.value = event.args
        if self._on_change and (pending := self._on_change(self.value)):
            await pending


def _input(kind: str, label: str, value: str, on_change: Changed | None, attributes: dict[str, Attribute]) -> Field:
    with el("label", classes="dibs-field") as box:
        el("span", label)
        if kind == "textarea":
            control = el("textarea", value)
        else:
            # As an attribute, not as a property: whenever something else on the page changes, the browser half
            # sets properties again, and would take back what the person is just typing.
            control = el("input", type=kind)
            set_attributes(control, {"^value": value})
        set_attributes(control, attributes)
    field = Field(box, control, value, on_change)
    field.listen("input" if kind in ("text", "search", "textarea", "email", "url") else "change")
    return field


def text_field(
    label: str,
    value: str = "",
    *,
    on_change: Changed | None = None,
    kind: str = "text",
    **attributes: Attribute,
) -> Field:
    """One line of text; `kind` is the browser's: text, search, email, url."""
    return _input(kind, label, value, on_change, attributes)


def number_field(
    label: str, value: float | None = None, *, on_change: Changed | None = None, **attributes: Attribute
) -> Field:
    """A number, with `min=`, `max=`, `step=`; the value arrives as text and may be empty."""
    return _input("number", label, "" if value is None else f"{value:g}", on_change, attributes)


def date_field(label: str, value: str = "", *, on_change: Changed | None = None, **attributes: Attribute) -> Field:
    """A day, YYYY-MM-DD."""
    return _input("date", label, value, on_change, attributes)


def time_field(label: str, value: str = "", *, on_change: Changed | None = None, **attributes: Attribute) -> Field:
    """A time of day, HH:MM."""
    return _input("time", label, value, on_change, attributes)


def area(label: str, value: str = "", *, on_change: Changed | None = None, **attributes: Attribute) -> Field:
    """Several lines of text."""
    return _input("textarea", label, value, on_change, attributes)


class Choice(Field):
    """One of a few; `offer` changes among what."""

    _offered: dict[str, str] | None = None

    def offer(self, options: Mapping[str, str]) -> None:
        """Other options; the chosen one stays among them. Nothing is sent when they are the same."""
        offered = dict(options)
        offered.setdefault(self.value, self.value)
        if offered == self._offered:
            return
        self._offered = offered
        self.control.clear()
        with self.control:
            for value, words in offered.items():
                el("option", words, value=value, selected=value == self.value)


def choice(label: str, options: Mapping[str, str], value: str = "", *, on_change: Changed | None = None) -> Choice:
    """One of a few: `options` is value → what the person reads."""
    with el("label", classes="dibs-field") as box:
        el("span", label)
        control = el("select")
    field = Choice(box, control, value, on_change)
    field.offer(options)
    field.listen("change")
    return field


def switch(label: str, value: bool = False, *, on_change: Changed | None = None) -> Field:
    """On or off."""
    with el("label", classes="dibs-field is-switch") as box:
        control = el("input", type="checkbox", checked=value)
        el("span", label)
    field = Field(box, control, value, on_change)
    field.listen("change")
    return field
