"""The watches that a person should look at."""

from __future__ import annotations

from typing import Any

from dibs.console.components import Column, Empty, Table, card, cell_status, cell_time, cell_two, stat
from dibs.console.live import Refresh
from dibs.console.page import View
from dibs.console.shared import shared
from dibs.watch import Watch

WORST_FIRST = ("failing", "suspect", "degraded")
PAGE = 500
SHOWN = 8


async def troubled(view: View) -> list[Watch]:
    """Watches that are not well, the worst first."""

    async def load() -> list[Watch]:
        found: list[Watch] = []
        after: str | None = None
        while batch := await view.parts.watches.page(limit=PAGE, after=after):
            found += [watch for watch in batch if watch.status in WORST_FIRST]
            after = batch[-1].key
            if len(batch) < PAGE:
                break
        return sorted(found, key=lambda watch: (WORST_FIRST.index(watch.status), watch.key))

    return await shared("troubled watches", 3.0, load)


def need_attention(view: View) -> Refresh:
    shown = stat("Watches that need you", href="/watches")

    async def refresh() -> None:
        found = await troubled(view)
        kinds = {status: sum(watch.status == status for watch in found) for status in WORST_FIRST}
        words = ", ".join(f"{count} {status}" for status, count in kinds.items() if count)
        tone = "bad" if kinds["failing"] else "warn" if found else "good"
        shown.show(len(found), words or "all is well", tone)

    return refresh


def attention_list(view: View) -> Refresh:
    with card("Watches that need attention"):
        table = Table(
            [Column("watch", "Watch"), Column("status", "Status"), Column("good", "Last good look")],
            key="key",
            label="Watches that need attention",
            empty=Empty("All watches are well", "A watch that fails or sees too little appears here.", "done_all"),
            search=False,
            query="w",
        )

    async def refresh() -> None:
        table.show([_row(watch) for watch in (await troubled(view))[:SHOWN]])

    return refresh


def _row(watch: Watch) -> dict[str, Any]:
    return {
        "key": watch.key,
        "watch": cell_two(watch.key, watch.reason),
        "status": cell_status(watch.status, why=watch.reason),
        "good": cell_time(watch.last_good_at),
    }
