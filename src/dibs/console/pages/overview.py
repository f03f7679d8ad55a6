"""Overview: what is open now and what needs a person."""

from __future__ import annotations

from datetime import timedelta

from dibs.console.components import Empty, LiveList, card
from dibs.console.page import View, page
from dibs.console.pages.openings import item_of
from dibs.openings import EventFilter, list_events

NEWEST = 8
NOTHING = Empty(
    "Nothing opened in the last hour",
    "Openings appear here the moment they are seen. Add a watch to see the first.",
    "bolt",
    "dibs watch add PROVIDER name=value",
)


@page("/", "Overview")
async def overview(view: View) -> None:
    view.head("Overview", "What is open now, and what needs you.", live=True)
    with card("Just opened", note="last hour", flush=True):
        newest = LiveList("The newest openings", NOTHING)

    async def refresh() -> None:
        since = view.parts.clock.now() - timedelta(hours=1)
        found = await list_events(view.parts.db, EventFilter(since=since, status="Open"), limit=NEWEST)
        newest.show([item_of(event) for event in found])

    await view.live(refresh, "dibs_opening")
