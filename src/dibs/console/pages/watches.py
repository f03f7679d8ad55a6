"""Watches: what is looked at, how often, how it went."""

from __future__ import annotations

import shlex
from typing import Any
from urllib.parse import quote

from dibs.console.components import (
    Action,
    Column,
    Empty,
    Field,
    Table,
    button,
    card,
    cell_link,
    cell_status,
    cell_time,
    choice,
    el,
    facts,
    hint,
    tell,
    text_field,
)
from dibs.console.page import View, page
from dibs.errors import Invalid
from dibs.watch import Watch, WatchedProvider

MOST = 500
STATUSES = ("failing", "suspect", "degraded", "paused", "new", "healthy")
NOTHING = Empty(
    "No watches yet",
    "A watch looks at one query of a provider again and again, and says when something opens.",
    "visibility",
    "dibs watch add PROVIDER name=value",
)


@page("/watches", "Watches")
async def watches(view: View) -> None:
    view.head("Watches", "What is looked at, how often, and how it went.", live=True)
    with el("div", classes="dibs-filters", role="search", aria_label="Filter the watches"):
        providers = {"": "All providers"} | {name: name for name in sorted(view.parts.providers)}
        states = {"": "Any status"} | {name: name for name in STATUSES}
        view.choice("Provider", "provider", providers)
        view.choice("Status", "status", states)
    with card():
        table = _table(view)
    _new_watch(view)

    async def refresh() -> None:
        provider, status = view.filter("provider") or None, view.filter("status")
        found = await view.parts.watches.page(limit=MOST, provider=provider)
        table.show([_row(watch) for watch in found if not status or watch.status == status])

    await view.live(refresh, "dibs_watch", "dibs_opening", every_s=3.0)


def _table(view: View) -> Table:
    return Table(
        [
            Column("watch", "Watch"),
            Column("status", "Status"),
            Column("open", "Open", "number"),
            Column("good", "Last good look"),
            Column("next", "Next look"),
            Column("every", "Every", "number"),
        ],
        key="key",
        label="Watches",
        empty=NOTHING,
        actions=[Action("poll", "Poll now"), Action("pause", "Pause"), Action("resume", "Resume")],
        on_action=lambda action, key: act(view, action, key),
    )


def _row(watch: Watch) -> dict[str, Any]:
    paused = watch.status == "paused"
    return {
        "key": watch.key,
        "watch": cell_link(watch.key, address(watch.key), watch.reason),
        "status": cell_status(watch.status, why=watch.reason),
        "open": watch.open_count,
        "good": cell_time(watch.last_good_at),
        "next": None if paused else cell_time(watch.next_poll_at),
        "every": f"{watch.cadence['interval_s']:g} s",
        "_actions": ["resume"] if paused else ["poll", "pause"],
    }


def address(key: str) -> str:
    """The page of one watch."""
    return f"/watches/{quote(key, safe=':')}"


async def act(view: View, action: str, key: str) -> None:
    """Poll, refresh quietly, pause or resume."""
    await view.require("admin")
    if action in ("pause", "resume"):
        await view.parts.watches.change(key, paused=action == "pause")
        tell(f"{key} is paused." if action == "pause" else f"{key} goes on.")
    elif action in ("poll", "baseline"):
        result = await view.parts.poller.poll_now(key, quietly=action == "baseline")
        bad = result.outcome in ("failed", "suspect")
        counts = f"{result.opened} opened, {result.closed} closed, {result.open_count} open"
        tell(f"{result.outcome}: {result.reason or counts}", tone="bad" if bad else "good")
    view.refresh_soon()


def _new_watch(view: View) -> None:
    if not view.caller.may("admin"):
        return
    with card("Watch something new"):
        if not view.parts.providers:
            hint("No provider is configured; add one to the configuration file first.")
            return
        with el("div", classes="dibs-filters"):
            names = {name: name for name in sorted(view.parts.providers)}
            provider = choice("Provider", names, next(iter(names)))
            query = text_field("Query", placeholder="name=value name=value", size=40)
            button("Start watching", lambda: _add(view, provider, query), sign="add")
        hint("Names and values, separated by spaces; a value with spaces stands in quotes.")
        facts([(name, _example(view.parts.providers[name])) for name in names])


def _example(provider: WatchedProvider) -> str:
    asked = provider.source.asks.items()
    return " ".join(f"{name}={value}" for name, value in asked) or "nothing; it has one address"


async def _add(view: View, provider: Field, query: Field) -> None:
    await view.require("admin")
    try:
        pairs = [part.partition("=") for part in shlex.split(str(query.value))]
    except ValueError:
        raise Invalid("A quote in the query is not closed.") from None
    if any(not sign or not name for name, sign, _ in pairs):
        raise Invalid("Write the query as name=value, separated by spaces.")
    watch, created = await view.parts.watches.add(str(provider.value), {name: value for name, _, value in pairs})
    tell(f"{watch.key} is watched now." if created else f"{watch.key} was watched already.")
    query.set("")
    view.refresh_soon()
