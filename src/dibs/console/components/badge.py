"""A state, told by a word, a sign and a colour together."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from nicegui.element import Element

from dibs.console.components.element import el, icon

Tone = Literal["good", "warn", "bad", "info", "quiet"]
SIGNS: dict[Tone, str] = {
    "good": "check_circle",
    "warn": "error_outline",
    "bad": "report",
    "info": "schedule",
    "quiet": "remove_circle_outline",
}


class Sign(NamedTuple):
    """How a state looks."""

    tone: Tone
    icon: str


# Every state word of the contract. A word that is not here is shown quietly, never hidden.
STATUSES: dict[str, Sign] = {
    "open": Sign("good", "lock_open"),
    "gone": Sign("quiet", "block"),
    "closed": Sign("quiet", "lock"),
    "wait": Sign("info", "hourglass_empty"),
    "unknown": Sign("quiet", "help_outline"),
    "new": Sign("info", "auto_awesome"),
    "healthy": Sign("good", "check_circle"),
    "degraded": Sign("warn", "trending_down"),
    "suspect": Sign("warn", "error_outline"),
    "failing": Sign("bad", "report"),
    "paused": Sign("quiet", "pause_circle_outline"),
    "pending": Sign("info", "schedule"),
    "active": Sign("good", "check_circle"),
    "suppressed": Sign("bad", "do_not_disturb_on"),
    "unsubscribed": Sign("quiet", "remove_circle_outline"),
    "sent": Sign("good", "check_circle"),
    "skipped": Sign("quiet", "skip_next"),
    "failed": Sign("bad", "report"),
    "expired": Sign("quiet", "timer_off"),
    "queued": Sign("info", "low_priority"),
    "processing": Sign("info", "sync"),
    "completed": Sign("good", "check_circle"),
    "success": Sign("good", "check_circle"),
    "no_results": Sign("quiet", "search_off"),
    "error": Sign("bad", "report"),
    "deferred": Sign("warn", "schedule"),
    "clean": Sign("good", "check_circle"),
    "dirty": Sign("warn", "sync_problem"),
    "free": Sign("good", "event_available"),
    "held": Sign("warn", "timer"),
    "booked": Sign("info", "event_busy"),
    "confirmed": Sign("good", "check_circle"),
    "cancelled": Sign("quiet", "cancel"),
    "waiting": Sign("info", "hourglass_empty"),
    "offered": Sign("warn", "notifications_active"),
    "claimed": Sign("good", "check_circle"),
    "declined": Sign("quiet", "cancel"),
    "released": Sign("quiet", "undo"),
    "ok": Sign("good", "check_circle"),
    "late": Sign("warn", "schedule"),
    "down": Sign("bad", "report"),
}


def sign_of(status: str) -> Sign:
    """How a status word of the contract is shown."""
    return STATUSES.get(status.lower(), Sign("quiet", SIGNS["quiet"]))


def badge(status: str, *, why: str = "") -> Element:
    """A status word of the contract; `why` is on hover."""
    sign = sign_of(status)
    return badge_of(sign.tone, status.replace("_", " "), why=why, sign=sign.icon)


def badge_of(tone: Tone, text: str, *, why: str = "", sign: str = "") -> Element:
    """A badge with words of its own."""
    box = el("span", classes=f"dibs-badge tone-{tone}", title=why or None)
    with box:
        icon(sign or SIGNS[tone])
        el("span", text)
    return box


def cell_badge(tone: Tone, text: str, *, why: str = "", sign: str = "") -> dict[str, Any]:
    """A badge inside a table or a live list."""
    return {"kind": "badge", "tone": tone, "text": text, "why": why, "icon": sign or SIGNS[tone]}


def cell_status(status: str, *, why: str = "") -> dict[str, Any]:
    """A status word inside a table or a live list."""
    sign = sign_of(status)
    return cell_badge(sign.tone, status.replace("_", " "), why=why, sign=sign.icon)
