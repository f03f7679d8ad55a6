"""Tables that are kept for somebody, and for how much longer."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from dibs.capacity.hold import list_holds
from dibs.capacity.model import Hold
from dibs.console.components import Column, Empty, Table, card, cell_time, stat
from dibs.console.live import Refresh
from dibs.console.page import View
from dibs.console.shared import shared

SOON = timedelta(seconds=60)
SHOWN = 8


async def _live(view: View) -> list[Hold]:
    return await shared("holds", 2.0, lambda: list_holds(view.parts.capacity, limit=200))


def about_to_expire(view: View) -> Refresh:
    shown = stat("Holds about to expire", href="/floor")

    async def refresh() -> None:
        holds = await _live(view)
        soon = sum(hold.expires_at - view.parts.clock.now() < SOON for hold in holds)
        shown.show(soon, f"within a minute, of {len(holds)} live", "warn" if soon else "quiet")

    return refresh


def hold_list(view: View) -> Refresh:
    with card("Holds", note="those that end first in front"):
        table = Table(
            [
                Column("party", "Kept for"),
                Column("start", "From"),
                Column("tables", "Tables", "number"),
                Column("left", "Time left"),
            ],
            key="hold_id",
            label="Holds",
            empty=Empty(
                "Nothing is held", "A table that is quoted or offered is kept for a while, and shows here.", "timer"
            ),
            search=False,
            query="h",
        )

    async def refresh() -> None:
        table.show([_row(hold) for hold in (await _live(view))[:SHOWN]])

    return refresh


def _row(hold: Hold) -> dict[str, Any]:
    return {
        "hold_id": str(hold.hold_id),
        "party": f"a party of {hold.party_size}",
        "start": cell_time(hold.start_at, "moment"),
        "tables": len(hold.table_ids),
        "left": cell_time(hold.expires_at, "countdown"),
    }
