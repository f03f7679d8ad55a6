"""From demand to an opening: watch a place, or be told when it opens."""

from __future__ import annotations

from nicegui import ui

from dibs.console.components import button, choice, el, hint, notice, tell, text_field
from dibs.console.page import View
from dibs.errors import Invalid
from dibs.notify.subscribe import Wish

CHANNELS = {"email": "E-mail", "webhook": "Webhook", "apprise": "Apprise"}


async def follow_place(view: View, name: str) -> None:
    """Asks how, and makes the watch or the subscription."""
    with ui.dialog() as dialog, el("div", classes="dibs-card dibs-dialog"):
        dialog.props["aria-label"] = f"Follow {name}"
        el("h2", f"Follow {name}")
        providers = {key: key for key in sorted(view.parts.config.providers)}
        if not providers:
            notice("info", "No provider is configured.", "Add one under [providers] to watch what is bookable.")
        else:
            _watch_form(view, providers)
            _subscribe_form(view, providers)
        el("button", "Close", classes="dibs-button is-quiet", type="button").on("click", lambda: dialog.submit(None))
    await dialog
    dialog.delete()


def _watch_form(view: View, providers: dict[str, str]) -> None:
    el("h3", "Watch")
    provider = choice("Provider", providers, next(iter(providers)))
    query = text_field("Query", placeholder="date=2026-02-28 time_slot=20:30")

    async def watch() -> None:
        await view.require("admin")
        made, _ = await view.parts.watches.add(str(provider.value), _pairs(str(query.value)))
        tell(f"{made.key} is watched")

    button("Watch", watch, sign="visibility")


def _subscribe_form(view: View, providers: dict[str, str]) -> None:
    el("h3", "Subscribe")
    hint("The provider's own number of the place: a venue id, a course, a campsite.")
    provider = choice("Provider", providers, next(iter(providers)))
    group = text_field("Number of the place")
    channel = choice("Channel", CHANNELS, "email")
    address = text_field("Address")

    async def subscribe() -> None:
        await view.require("read")
        if not str(group.value).strip():
            raise Invalid("Say which place: the provider's own number of it.")
        topic = f"group:{provider.value}:{str(group.value).strip()}"
        made = await view.parts.notify.subscribe.subscribe(Wish(topic, str(channel.value), str(address.value).strip()))
        tell("That subscription exists already" if made.existing else f"Subscribed to {topic}")

    button("Subscribe", subscribe, sign="notifications")


def _pairs(text: str) -> dict[str, str]:
    parts = [item.partition("=") for item in text.split()]
    if not parts or any(not name or not sign for name, sign, _ in parts):
        raise Invalid("The query is given as name=value, for example date=2026-02-28 time_slot=20:30.")
    return {name: value for name, _, value in parts}
