"""Form fields: the browser's own controls, so that every keyboard, phone and screen reader knows them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui.element import Element

from dibs.console.components.element import Attribute, el, set_attributes

Changed = Callable[[Any], Awaitable[Any] | None]


class Field:
    """A labelled control; `value` is what the person entered so far."""

    def __init__(self, box: Element, control: Element, value: Any, changed: Changed | None, *, event: str) -> None:
        self.box = box
        self.control = control
        self.value = value
        self._changed = changed
        source = "e.target.checked" if isinstance(value, bool) else "e.target.value"
        control.on(event, self._take, js_handler=f"(e) => emit({source})")

    async def _take(self, event: Any) -> None:
        self.value = event.args
        if self._changed and (pending := self._changed(self.value)):
            await pending


def _field(tag: str, label: str, value: Any, changed: Changed | None, *, event: str, **attributes: Attribute) -> Field:
    with el("label", classes="dibs-field") as box:
        el("span", label)
        control = el(tag, **attributes)
    return Field(box, control, value, changed, event=event)


def text_field(
    label: str, value: str = "", *, on_change: Changed | None = None, kind: str = "text", **attributes: Attribute
) -> Field:
    """One line of text."""
    return _field("input", label, value, on_change, event="input", type=kind, value=value, **attributes)


def number_field(
    label: str, value: float | None = None, *, on_change: Changed | None = None, **attributes: Attribute
) -> Field:
    """A number, with `min=`, `max=`, `step=`; the value arrives as text and may be empty."""
    shown = "" if value is None else f"{value:g}"
    return _field("input", label, shown, on_change, event="change", type="number", value=shown, **attributes)


def date_field(label: str, value: str = "", *, on_change: Changed | None = None, **attributes: Attribute) -> Field:
    """A day, YYYY-MM-DD."""
    return _field("input", label, value, on_change, event="change", type="date", value=value, **attributes)


def time_field(label: str, value: str = "", *, on_change: Changed | None = None, **attributes: Attribute) -> Field:
    """A time of day, HH:MM."""
    return _field("input", label, value, on_change, event="change", type="time", value=value, **attributes)


def area(label: str, value: str = "", *, on_change: Changed | None = None, **attributes: Attribute) -> Field:
    """Several lines of text."""
    return _field("textarea", label, value, on_change, event="input", value=value, **attributes)


def choice(label: str, options: Mapping[str, str], value: str = "", *, on_change: Changed | None = None) -> Field:
    """One of a few: `options` is value → what the person reads."""
    with el("label", classes="dibs-field") as box:
        el("span", label)
        control = el("select", value=value)
        with control:
            _options(options, value)
    field = Field(box, control, value, on_change, event="change")
    return field


def set_options(field: Field, options: Mapping[str, str]) -> None:
    """Other options for a `choice`; the chosen value stays."""
    field.control.clear()
    with field.control:
        _options(options, field.value)


def _options(options: Mapping[str, str], value: str) -> None:
    known = dict(options)
    known.setdefault(value, value)
    for option, words in known.items():
        el("option", words, value=option, selected=option == value)


def switch(label: str, value: bool = False, *, on_change: Changed | None = None) -> Field:
    """On or off."""
    with el("label", classes="dibs-field is-switch") as box:
        control = el("input", type="checkbox")
        set_attributes(control, {"checked": value})
        el("span", label)
    return Field(box, control, value, on_change, event="change")
