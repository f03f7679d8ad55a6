"""The strip at the top of every page of the demo: a few things to try, each of which really happens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui

from dibs.access import Caller, Scope
from dibs.console.components.button import button
from dibs.console.components.element import el, icon
from dibs.parts import TourStep

Require = Callable[[Scope], Awaitable[Caller]]


def draw_tour(steps: Sequence[TourStep], require: Require) -> None:
    """Draws the strip; without steps, as everywhere but in the demo, nothing. The browser keeps what was tried."""
    if not steps:
        return
    with el("dibs-tour", role="region", aria_label="Try it"):
        el("b", "Try it:")
        for number, step in enumerate(steps, 1):
            _draw(number, step, require)
        with el("button", classes="dibs-icon-button", type="button", aria_label="Put the tour away"):
            icon("close")


def _draw(number: int, step: TourStep, require: Require) -> None:
    async def press() -> None:
        await require("staff")
        ui.navigate.to(await step.act())

    made = button(f"{number} {step.title}", press, look="quiet", small=True)
    made.props["data-step"] = str(number)
