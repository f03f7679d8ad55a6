"""One subscription: its state, wishes, notices and history."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec

from dibs.console.components import (
    Column,
    Empty,
    Table,
    badge,
    button,
    card,
    cell_time,
    confirm,
    el,
    facts,
    grid,
    row,
    tell,
)
from dibs.console.page import View, page
from dibs.console.pages.deliveries import deliveries_table, row_of
from dibs.console.pages.subscriptions import about, act_on, actions_of, wishes_of
from dibs.notify import Change
from dibs.notify.model import Subscription, SubscriptionEvent

SHOWN = 100
HISTORY = (Column("at", "When"), Column("kind", "What"), Column("detail", "Details"))
NO_HISTORY = Empty("Nothing happened yet", "What happens to this subscription is kept here.", "history")
WORDS = {"pause": "Pause", "resume": "Resume", "test": "Send a test notice"}


@page("/subscriptions/{subscription_id}", "Subscription")
async def subscription(view: View) -> None:
    await view.require("admin")
    number = view.id_in_path("subscription_id")
    found = await view.parts.notify.manage.get(number)
    view.head(f"Subscription {number}", about(found), live=True)
    with grid():
        with card("Now"):
            state = el("div")
        with card("What you can do"):
            tools = el("div")
    with card("Notices", flush=True):
        notices = deliveries_table(view, "Notices of this subscription")
    with card("History", flush=True):
        history = Table(HISTORY, key="number", label="History", empty=NO_HISTORY, query="h")

    async def refresh() -> None:
        now = await view.parts.notify.manage.get(number)
        _show_state(state, now)
        _show_tools(view, tools, now)
        notices.show(
            [row_of(one) for one in await view.parts.notify.notices.deliveries(subscription_id=number, limit=SHOWN)]
        )
        history.show([_event(one) for one in await view.parts.notify.manage.history(number, limit=SHOWN)])

    await view.live(refresh, "dibs_notice")


def _show_state(place: Any, now: Subscription) -> None:
    place.clear()
    with place:
        badge(now.status, why=now.reason or "")
        facts(
            [
                ("Address", now.address),
                ("Channel", now.channel),
                ("Why", now.reason),
                ("Wishes", wishes_of(now)),
                ("Language", now.locale),
                ("Last told", f"{now.last_sent_at:%Y-%m-%d %H:%M:%S} UTC" if now.last_sent_at else "never"),
                ("Failing since", f"{now.failing_since:%Y-%m-%d %H:%M} UTC" if now.failing_since else None),
                ("Confirmed", f"{now.verified_at:%Y-%m-%d %H:%M} UTC" if now.verified_at else None),
            ]
        )


def _show_tools(view: View, place: Any, now: Subscription) -> None:
    place.clear()
    number = now.subscription_id

    async def snooze(hours: int) -> None:
        await view.require("admin")
        until = view.parts.clock.now() + timedelta(hours=hours) if hours else None
        await view.parts.notify.manage.change(number, Change(preferences={"snooze_until": until}))
        tell(f"Snoozed for {hours} hours." if hours else "Awake again.")
        view.refresh_soon()

    async def end() -> None:
        await view.require("admin")
        if await confirm("Unsubscribe?", "It ends for good; its history stays.", yes="Unsubscribe", danger=True):
            await view.parts.notify.manage.unsubscribe(number, how="by_administrator")
            view.refresh_soon()

    with place, row():
        for name in actions_of(now):
            button(WORDS[name], lambda name=name: act_on(view, name, number), look="quiet")
        if now.status == "unsubscribed":
            el("p", "It is unsubscribed; a new subscription can be made.")
            return
        snoozed = now.snooze_until is not None and now.snooze_until > view.parts.clock.now()
        button("Wake up" if snoozed else "Snooze for 8 hours", lambda: snooze(0 if snoozed else 8), look="quiet")
        button("Unsubscribe", end, look="danger")


def _event(one: SubscriptionEvent) -> dict[str, Any]:
    return {
        "number": one.subscription_event_id,
        "at": cell_time(one.at),
        "kind": one.kind.replace("_", " "),
        "detail": msgspec.json.encode(one.detail).decode(),
    }
