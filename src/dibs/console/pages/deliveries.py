"""Deliveries: what was sent to whom, when, and why not."""

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
    cell_two,
    choice,
    el,
    tell,
)
from dibs.console.components.table import cell_link
from dibs.console.page import View, page
from dibs.notify.model import CHANNELS, FANOUT_STATUSES, Delivery

SHOWN = 300
COLUMNS = (
    Column("number", "Notice", align="number"),
    Column("what", "What"),
    Column("to", "To whom"),
    Column("status", "Status"),
    Column("tries", "Tries", align="number"),
    Column("made", "Made"),
    Column("done", "Done or due"),
    Column("why", "Why"),
)
NOTHING = Empty(
    "No notice fits",
    "Notices appear here as soon as something opens that somebody subscribed to.",
    "mark_email_read",
    "dibs notify subscribe TOPIC CHANNEL ADDRESS",
)
REQUEUE = Action("requeue", "Try again")


@page("/deliveries", "Deliveries")
async def deliveries(view: View) -> None:
    view.head("Deliveries", "Every notice: what, to whom, when, and why not.", live=True)
    with el("div", classes="dibs-filters", role="search", aria_label="Filter the notices"):
        choice(
            "Status",
            {"": "Any status"} | {status: status for status in FANOUT_STATUSES},
            view.filter("status"),
            on_change=lambda value: view.set_filter("status", value),
        )
        choice(
            "Channel",
            {"": "All channels"} | {channel: channel for channel in CHANNELS},
            view.filter("channel"),
            on_change=lambda value: view.set_filter("channel", value),
        )
    with card(flush=True):
        table = deliveries_table(view, "Notices")

    async def refresh() -> None:
        found = await view.parts.notify.notices.deliveries(
            status=_known(view.filter("status"), FANOUT_STATUSES),
            channel=_known(view.filter("channel"), CHANNELS),
            subscription_id=_number(view.filter("subscription")),
            open_event_id=_number(view.filter("opening")),
            limit=SHOWN,
        )
        table.show([row_of(one) for one in found])

    await view.live(refresh, "dibs_notice")


def deliveries_table(view: View, label: str) -> Table:
    """A table of notices that can be tried again."""

    async def act(_: str, key: Any) -> None:
        await view.require("admin")
        notice = await view.parts.notify.notices.requeue(int(key))
        tell(f"Notice {notice.notification_id} is tried again.")
        view.refresh_soon()

    return Table(COLUMNS, key="number", label=label, empty=NOTHING, actions=[REQUEUE], on_action=act)


def row_of(one: Delivery) -> dict[str, Any]:
    """A notice as a line."""
    can_try_again = one.fanout_status in ("failed", "skipped", "expired")
    return {
        "number": one.notification_id,
        "what": _what(one),
        "to": cell_link(f"{one.address} ({one.channel})", f"/subscriptions/{one.subscription_id}"),
        "status": cell_status("processing" if one.locked_by else one.fanout_status, why=one.locked_by or ""),
        "tries": one.fanout_attempts,
        "made": cell_time(one.created_at),
        "done": cell_time(one.finished_at or one.next_attempt_at),
        "why": cell_two(one.reason, one.error or "") if one.reason else None,
        "_actions": ["requeue"] if can_try_again else [],
    }


def _what(one: Delivery) -> Any:
    if one.kind == "verification":
        return "Confirmation of the address"
    return cell_link(one.title or f"Opening {one.open_event_id}", f"/openings/{one.open_event_id}")


def _known(value: str, known: tuple[str, ...]) -> str | None:
    return value if value in known else None


def _number(value: str) -> int | None:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 19 else None
