"""One press: what people look for is watched, or the person says which of several it is."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from dibs.console.components import choice, confirm, el, tell
from dibs.console.page import View
from dibs.errors import Conflict
from dibs.wanted import Choice


async def watch_demand(view: View, request_id: int) -> None:
    await view.require("admin")
    try:
        watched = await view.parts.wanted.watch.watch(request_id)
    except Conflict as error:
        candidates: list[dict[str, str]] = error.extra.get("candidates", [])
        if not candidates:
            raise
        await _choose(view, request_id, error, candidates)
        return
    tell(watched.sentence)


async def _choose(view: View, request_id: int, error: Conflict, candidates: list[dict[str, str]]) -> None:
    places = {str(at): Choice(one["provider"], one["group_key"]) for at, one in enumerate(candidates)}
    names = {str(at): f"{one['name']} ({one['provider']} {one['group_key']})" for at, one in enumerate(candidates)}
    with ui.dialog() as dialog, el("div", classes="dibs-card dibs-dialog"):
        dialog.props["aria-label"] = "Which place is it?"
        el("h2", "Which place is it?")
        el("p", error.detail)
        chosen = choice("Place", names, "0")
        with el("div", classes="dibs-row"):
            _answer(dialog, "Cancel", "is-quiet", submits=False)
            _answer(dialog, "Watch this one", "is-primary", submits=True)
    agreed = await dialog
    named = places[str(chosen.value)]
    dialog.delete()
    if agreed:
        await view.require("admin")
        tell((await view.parts.wanted.watch.watch(request_id, named)).sentence)


def _answer(dialog: ui.dialog, text: str, look: str, *, submits: bool) -> Any:
    made = el("button", text, classes=f"dibs-button {look}", type="button")
    return made.on("click", lambda: dialog.submit(submits))


async def stop_watching(view: View, request_id: int) -> None:
    await view.require("admin")
    place = await view.parts.wanted.watch.get(request_id)
    text = "Those who asked are no longer told, and the rule leaves it alone until somebody watches it again."
    if await confirm(f"Stop watching {place.term}?", text, yes="Stop watching", danger=True):
        await view.require("admin")
        await view.parts.wanted.watch.stop(request_id)
        tell(f"“{place.term}” is not watched any more")
