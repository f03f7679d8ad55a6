"""Questions before something that cannot be undone, and short messages after."""

from __future__ import annotations

from nicegui import ui

from dibs.console.components.badge import Tone
from dibs.console.components.element import el


def tell(text: str, *, tone: Tone = "good") -> None:
    """A short message that goes away by itself; a bad one stays until it is closed."""
    stays = tone == "bad"
    ui.notify(
        text,
        position="bottom-right",
        classes=f"dibs-toast tone-{tone}",
        close_button="Close" if stays else False,
        timeout=0 if stays else 4000,
    )


async def confirm(question: str, text: str = "", *, yes: str = "Yes", no: str = "Cancel", danger: bool = False) -> bool:
    """Asks; true when the person said yes. Escape and a click outside mean no."""
    with ui.dialog() as dialog, el("div", classes="dibs-card dibs-dialog"):
        dialog.props["aria-label"] = question
        el("h2", question)
        if text:
            el("p", text)
        with el("div", classes="dibs-row"):
            el("button", no, classes="dibs-button is-quiet", type="button").on("click", lambda: dialog.submit(False))
            look = "is-danger" if danger else "is-primary"
            agree = el("button", yes, classes=f"dibs-button {look}", type="button", autofocus=True)
            agree.on("click", lambda: dialog.submit(True))
    answer = await dialog
    dialog.delete()
    return bool(answer)
