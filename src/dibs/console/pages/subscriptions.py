"""Subscriptions: who is told about what, and how it goes."""

from __future__ import annotations

from typing import Any

from dibs.console.components import (
    Action,
    Column,
    Empty,
    Table,
    card,
    cell_status,
    cell_time,
    choice,
    el,
    tell,
    text_field,
)
from dibs.console.components.button import go
from dibs.console.components.table import cell_two
from dibs.console.page import View, page
from dibs.notify import Change
from dibs.notify.model import CHANNELS, SUBSCRIPTION_STATUSES, Subscription

SHOWN = 300
COLUMNS = (
    Column("number", "Number", align="number"),
    Column("topic", "Told about"),
    Column("to", "Address"),
    Column("status", "Status"),
    Column("wishes", "Wishes"),
    Column("told", "Last told"),
    Column("since", "Since"),
)
NOTHING = Empty(
    "Nobody has subscribed yet",
    "People subscribe over the API; an address can be added by hand as well.",
    "notifications",
    "dibs notify subscribe TOPIC CHANNEL ADDRESS",
)
ACTIONS = (Action("pause", "Pause"), Action("resume", "Resume"), Action("test", "Test"))


@page("/subscriptions", "Subscriptions")
async def subscriptions(view: View) -> None:
    await view.require("admin")
    view.head("Subscriptions", "Who is told about what, how, and what became of it.", live=True)
    with el("div", classes="dibs-filters", role="search", aria_label="Filter the subscriptions"):
        choice(
            "Status",
            {"": "Any status"} | {status: status for status in SUBSCRIPTION_STATUSES},
            view.filter("status"),
            on_change=lambda value: view.set_filter("status", value),
        )
        choice(
            "Channel",
            {"": "All channels"} | {channel: channel for channel in CHANNELS},
            view.filter("channel"),
            on_change=lambda value: view.set_filter("channel", value),
        )
        text_field(
            "Topic",
            view.filter("topic"),
            kind="search",
            placeholder="Any",
            on_change=lambda value: view.set_filter("topic", value.strip()),
        )

    async def opened(key: Any) -> None:
        go(f"/subscriptions/{int(key)}")

    async def act(name: str, key: Any) -> None:
        await act_on(view, name, int(key))

    with card(flush=True):
        table = Table(
            COLUMNS,
            key="number",
            label="Subscriptions",
            empty=NOTHING,
            on_open=opened,
            actions=ACTIONS,
            on_action=act,
        )

    async def refresh() -> None:
        status, channel = view.filter("status"), view.filter("channel")
        found = await view.parts.notify.manage.list(
            topic=view.filter("topic") or None,
            status=status if status in SUBSCRIPTION_STATUSES else None,
            channel=channel if channel in CHANNELS else None,
            limit=SHOWN,
        )
        table.show([_row(one) for one in found])

    await view.live(refresh, "dibs_notice")


async def act_on(view: View, name: str, subscription_id: int) -> None:
    """What the buttons of a subscription do."""
    await view.require("admin")
    if name == "test":
        subscription = await view.parts.notify.manage.get(subscription_id)
        report = await view.parts.notify.try_out.send_test(subscription, limited=False)
        detail = f": {report.detail}" if report.detail else ""
        tell(f"Test notice {report.outcome} after {report.took_ms} ms{detail}", tone="good" if report.ok else "bad")
        return
    status = "paused" if name == "pause" else "active"
    changed = await view.parts.notify.manage.change(subscription_id, Change(status=status))
    tell(f"Subscription {subscription_id} is {changed.status}.")
    view.refresh_soon()


def actions_of(subscription: Subscription) -> list[str]:
    """Which buttons make sense now."""
    if subscription.status == "unsubscribed":
        return []
    return ["pause" if subscription.status in ("pending", "active") else "resume", "test"]


def wishes_of(subscription: Subscription) -> str:
    """The preferences in words."""
    wishes: list[str] = []
    window = subscription.window
    if window:
        wishes.append(f"{window.start:%H:%M}–{window.end:%H:%M} {window.timezone}")
    if subscription.max_notifications:
        wishes.append(f"at most {subscription.max_notifications}")
    if subscription.snooze_until:
        wishes.append(f"snoozed until {subscription.snooze_until:%Y-%m-%d %H:%M} UTC")
    return ", ".join(wishes) or "everything, at once"


def about(subscription: Subscription) -> str:
    """What they are told about. The topic of a place in line is known to nobody but the place."""
    return "a place in line" if subscription.topic.startswith("place:") else subscription.topic


def _row(one: Subscription) -> dict[str, Any]:
    return {
        "number": one.subscription_id,
        "topic": about(one),
        "to": cell_two(one.address, one.channel),
        "status": cell_status(one.status, why=one.reason or ""),
        "wishes": wishes_of(one),
        "told": cell_time(one.last_sent_at),
        "since": cell_time(one.created_at),
        "_actions": actions_of(one),
    }
