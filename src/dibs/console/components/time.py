"""Times: sent in UTC, shown by the browser in the reader's zone, the zone on hover."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from nicegui.element import Element

from dibs.console.components.element import el

Mode = Literal["relative", "moment", "clock", "date", "countdown"]


def iso(at: datetime) -> str:
    """RFC 3339 in UTC."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(at: datetime | None, mode: Mode = "relative") -> Element:
    """A time that keeps itself current: `relative` is "3 min ago", `moment` "Fri 20 Nov, 19:30"."""
    if at is None:
        return el("span", "never", classes="dibs-muted")
    return el("dibs-time", datetime=iso(at), mode=mode)


def countdown(until: datetime) -> Element:
    """Minutes and seconds that run down to `until`."""
    return moment(until, "countdown")
